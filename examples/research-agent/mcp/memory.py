"""Gives the model two tools: to keep a note, and to find it again in a later turn."""

import json
import pathlib

from stdio import Server

NOTES = pathlib.Path("memory.jsonl")

server = Server("memory")


@server.tool("remember", "Keep one fact for later.", note="The fact, with its source.")
def remember(note):
    with NOTES.open("a", encoding="utf-8") as file:
        file.write(json.dumps(note, ensure_ascii=False) + "\n")
    return "Kept."


@server.tool("recall", "Find kept facts.", about="Words to look for; empty for all of them.")
def recall(about):
    words = about.lower().split()
    notes = [json.loads(line) for line in NOTES.open(encoding="utf-8")] if NOTES.exists() else []
    found = [note for note in notes if not words or any(word in note.lower() for word in words)]
    return "\n".join("- " + note for note in found) or "Nothing is kept about that."


if __name__ == "__main__":
    server.run()

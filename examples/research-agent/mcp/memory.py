"""An MCP server with two tools: one stores a note, the other finds notes in later turns."""

import json
import pathlib

from stdio import Server

NOTES = pathlib.Path("memory.jsonl")

server = Server("memory")


@server.tool("remember", "Store one fact for later turns.", note="The fact, with its source.")
def remember(note):
    with NOTES.open("a", encoding="utf-8") as file:
        file.write(json.dumps(note, ensure_ascii=False) + "\n")
    return "Stored."


@server.tool("recall", "Find stored facts.", about="Words to search for; empty for all facts.")
def recall(about):
    words = about.lower().split()
    notes = [json.loads(line) for line in NOTES.open(encoding="utf-8")] if NOTES.exists() else []
    found = [note for note in notes if not words or any(word in note.lower() for word in words)]
    return "\n".join("- " + note for note in found) or "No matching facts are stored."


if __name__ == "__main__":
    server.run()

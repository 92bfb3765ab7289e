"""A bridge that answers `DELTAS n bytes` with n partial messages in one write, and a message."""
import json
import os
import socket

listener = socket.socket(socket.AF_UNIX)
listener.bind(os.environ["ASH_BRIDGE_SOCKET"])
listener.listen(1)
peer, _ = listener.accept()


def say(**event):
    peer.sendall(json.dumps(event).encode() + b"\n")


def answer(count, size, session):
    deltas = []
    for i in range(count):
        part = ("%d " % i).ljust(size, "x")
        deltas.append(json.dumps({"ev": "message", "data": {
            "type": "stream_event",
            "event": {"type": "content_block_delta", "index": 0,
                      "delta": {"type": "text_delta", "text": part}},
            "session_id": session, "parent_tool_use_id": None}}))
    peer.sendall(("\n".join(deltas) + "\n").encode())
    say(ev="message", data={"type": "assistant", "message": {
        "role": "assistant", "content": [{"type": "text", "text": "%d parts" % count}]}})


say(ev="ready")
for line in peer.makefile("rb"):
    command = json.loads(line)
    if command["cmd"] == "query":
        words = command["prompt"].split()
        if words[0] == "DELTAS":
            answer(int(words[1]), int(words[2]), command["sessionId"])
        say(ev="done", sessionId=command["sessionId"])
    elif command["cmd"] == "resume":
        say(ev="done", sessionId=command["sessionId"])
    elif command["cmd"] == "shutdown":
        os._exit(0)

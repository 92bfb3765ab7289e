#!/usr/bin/env python3
"""Fake CLI that implements the minimum of the stream-json protocol and exits on request."""
import json
import os
import sys


def send(message):
    sys.stdout.write(json.dumps(message, ensure_ascii=False) + "\n")
    sys.stdout.flush()


def answer(prompt):
    return json.dumps(dict(os.environ)) if prompt == "ENV" else "pid %d" % os.getpid()


for line in sys.stdin:
    message = json.loads(line)
    if message["type"] == "control_request":
        send({"type": "control_response", "response": {
            "subtype": "success", "request_id": message["request_id"],
            "response": {"pid": os.getpid()}}})
    elif message["type"] == "user":
        content = message["message"]["content"]
        prompt = content if isinstance(content, str) else content[-1]["text"]
        session = "11111111-1111-4111-8111-111111111111"
        send({"type": "system", "subtype": "init", "session_id": session, "cwd": os.getcwd()})
        text = {"type": "assistant", "session_id": session, "message": {
            "role": "assistant", "content": [{"type": "text", "text": answer(prompt)}]}}
        send(text)
        if prompt == "DIE":
            print("out of luck", file=sys.stderr, flush=True)
            os._exit(7)
        if prompt == "EAT":
            memory = b"x" * (4 << 30)
        if prompt == "GARBAGE":
            sys.stdout.write("Warning: this is not JSON\n")
            sys.stdout.flush()
        send({"type": "result", "subtype": "success", "is_error": False, "num_turns": 1,
              "session_id": session, "result": prompt})

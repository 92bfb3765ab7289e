#!/usr/bin/env python3
"""Imitates `codex app-server`: replays the lines of the file REPLAY.

`>> line` waits for a message of the client with the same method (or a response), `<< line` sends the
line with the id of the client's call, `!! text` sends the text unchanged, and `## 3` exits with that
status. Other requests of the client are answered with {}. All its messages are logged in REPLAY_LOG.
"""
import json
import os
import re
import sys

log = open(os.environ["REPLAY_LOG"], "a")
log.write(json.dumps({"arguments": sys.argv[1:]}) + "\n")
log.flush()


def receive():
    line = sys.stdin.readline()
    if not line:
        sys.exit(0)
    log.write(line)
    log.flush()
    return json.loads(line)


def send(text):
    sys.stdout.write(text + "\n")
    sys.stdout.flush()


def answer_other(message):
    if "id" in message and "method" in message:
        send(json.dumps({"id": message["id"], "result": {}}))


ids = {}
for line in open(os.environ["REPLAY"]):
    kind, text = line[:2], line[3:].rstrip("\n")
    if kind == "##":
        os._exit(int(text))
    if kind == "!!":
        send(text)
        continue
    message = json.loads(text)
    if kind == ">>":
        expected = message.get("method")
        received = receive()
        while received.get("method") != expected:
            answer_other(received)
            received = receive()
        if expected and "id" in message:
            ids[message["id"]] = received["id"]
    elif "id" in message and "method" not in message:
        send(re.sub(r'^\{"id":\d+', '{"id":%d' % ids[message["id"]], text))
    else:
        send(text)
while True:
    answer_other(receive())

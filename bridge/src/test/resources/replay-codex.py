#!/usr/bin/env python3
"""Passes for `codex app-server`: plays the lines of the file REPLAY.

`>> line` waits for the client to say what has the same method (or answers the same request),
`<< line` is said, with the id that the client gave to its call, `!! text` is said as it stands,
and `## 3` ends the program with that status. What the client says besides is answered with {}.
All that it says is kept in REPLAY_LOG.
"""
import json
import os
import re
import sys

log = open(os.environ["REPLAY_LOG"], "a")
log.write(json.dumps({"arguments": sys.argv[1:]}) + "\n")
log.flush()


def heard():
    line = sys.stdin.readline()
    if not line:
        sys.exit(0)
    log.write(line)
    log.flush()
    return json.loads(line)


def say(text):
    sys.stdout.write(text + "\n")
    sys.stdout.flush()


def besides(message):
    if "id" in message and "method" in message:
        say(json.dumps({"id": message["id"], "result": {}}))


ids = {}
for line in open(os.environ["REPLAY"]):
    kind, text = line[:2], line[3:].rstrip("\n")
    if kind == "##":
        os._exit(int(text))
    if kind == "!!":
        say(text)
        continue
    message = json.loads(text)
    if kind == ">>":
        wanted = message.get("method")
        got = heard()
        while got.get("method") != wanted:
            besides(got)
            got = heard()
        if wanted and "id" in message:
            ids[message["id"]] = got["id"]
    elif "id" in message and "method" not in message:
        say(re.sub(r'^\{"id":\d+', '{"id":%d' % ids[message["id"]], text))
    else:
        say(text)
while True:
    besides(heard())

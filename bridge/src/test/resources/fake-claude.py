#!/usr/bin/env python3
"""Implements enough of Claude Code's stream-json for tests; the prompt selects its behavior.

Appends its arguments to the file FAKE_LOG as one JSON line per start, and each line that it reads.
"""
import json
import os
import sys
import time

LOG = open(os.environ["FAKE_LOG"], "a")
SESSION = "fake-session"


def log(entry):
    LOG.write(json.dumps(entry) + "\n")
    LOG.flush()


def raw(text):
    sys.stdout.buffer.write(text.encode())
    sys.stdout.buffer.flush()


def send(**message):
    raw(json.dumps(message, separators=(",", ":"), ensure_ascii=False) + "\n")


def init():
    send(type="system", subtype="init", session_id=SESSION, tools=[])


def text(value):
    send(type="assistant", message={"role": "assistant", "content": [{"type": "text", "text": value}]})


def result(**more):
    send(type="result", subtype="success", is_error=False, session_id=SESSION, **more)


def read():
    line = sys.stdin.readline()
    if not line:
        sys.exit(0)
    message = json.loads(line)
    log(message)
    return message


def control_response(message):
    send(type="control_response", response={"subtype": "success", "request_id": message["request_id"]})


def hook(request, use):
    send(type="control_request", request_id=request,
        request={"subtype": "hook_callback", "callback_id": "ash", "tool_use_id": use,
                 "input": {"tool_name": "Bash", "tool_input": {"command": use}, "tool_use_id": use}})


def turn(prompt, uuid):
    word, _, rest = prompt.partition(" ")
    if word == "die":
        init()
        text("about to die")
        print("a last word", file=sys.stderr, flush=True)
        os._exit(7)
    if word == "orphan":  # exits while its child keeps stdout and stderr open
        init()
        if os.fork() == 0:
            time.sleep(20)
            os._exit(0)
        os._exit(9)
    if word == "huge":
        init()
        raw('{"type":"assistant","text":"' + "x" * int(rest) + '"}\n')
        result()
        return
    if word == "latin1":
        init()
        sys.stdout.buffer.write(b'{"type":"assistant","text":"\xe9"}\n')
        sys.stdout.buffer.flush()
        result()
        return
    if word == "noise":
        init()
        raw("Warning: this is not JSON\n[1,2]\n\n")
        text("still here")
        result()
        return
    if word == "bytes":  # one line, written in chunks of the given size
        init()
        size, _, value = rest.partition(" ")
        line = json.dumps({"type": "assistant", "text": value}, ensure_ascii=False).encode() + b"\n"
        for i in range(0, len(line), int(size)):
            os.write(1, line[i:i + int(size)])
        result()
        return
    if word == "deaf":  # neither reads nor exits
        init()
        while True:
            time.sleep(60)
    if word == "wait":
        init()
        while True:
            message = read()
            if message.get("type") == "control_request":
                control_response(message)
                send(type="result", subtype="error_during_execution", is_error=True, session_id=SESSION)
                return
    if word == "ask":
        init()
        send(type="control_request", request_id="q1",
            request={"subtype": "can_use_tool", "tool_name": "Bash", "input": {}})
        answer = read()
        text(json.dumps(answer["response"]))
        send(type="control_request", request_id="q2", request={"subtype": "hook_callback"})
        text(json.dumps(read()["response"]))
        send(type="control_cancel_request", request_id="q3")
        send(type="keep_alive")
        send(type="transcript_mirror", filePath="x", entries=[])
        result()
        return
    if word == "asks":  # two concurrent questions; cancels the second
        init()
        hook("h1", "u1")
        hook("h2", "u2")
        send(type="control_cancel_request", request_id="h2")
        text(json.dumps(read()["response"]))
        result()
        return
    if word == "asks-late":  # a question that outlives its turn
        init()
        hook("h1", "u1")
        result()
        read()
        return
    if word == "asks-twice":  # asks for the same call again, because of a rule
        init()
        hook("h1", "u1")
        read()
        send(type="control_request", request_id="q1",
            request={"subtype": "can_use_tool", "tool_name": "Bash", "input": {"command": "changed"},
                     "tool_use_id": "u1"})
        text(json.dumps(read()["response"]))
        result()
        return
    if word == "asks-crossed":  # a turn that it started itself asks before the prompt is accepted
        init()
        hook("h1", "u1")
        read()
        result(origin={"kind": "task-notification"})
        init()
        send(type="user", uuid=uuid, isReplay=True, message={})
        text("the answer")
        result()
        return
    if word == "partials":
        init()
        send(type="system", subtype="status", status="requesting")
        send(type="stream_event", event={"type": "message_start"})
        send(type="system", subtype="status", status="compacting")
        text("whole")
        result()
        return
    if word == "background":  # a turn that it starts itself follows
        init()
        result()
        send(type="system", subtype="task_notification")
        init()
        text("own turn")
        result(origin={"kind": "task-notification"})
        send(type="system", subtype="task_updated")
        return
    if word == "crossed":  # a turn that it started itself precedes the prompt
        init()
        text("own turn")
        result(origin={"kind": "task-notification"})
        init()
        send(type="user", uuid=uuid, isReplay=True, message={})
        text("the answer")
        result()
        return
    if word == "injected":  # the prompt is accepted within a turn that it started itself
        init()
        text("own turn")
        send(type="user", uuid=uuid, isReplay=True, message={})
        text("the answer")
        result(origin={"kind": "task-notification"})
        return
    init()
    send(type="user", uuid=uuid, isReplay=True, message={"role": "user", "content": prompt})
    text("you said " + prompt)
    result()


def main():
    log({"arguments": sys.argv[1:], "pid": os.getpid()})
    start = os.environ.get("FAKE_START", "")
    if start == "refuse":
        print("Error: not today", file=sys.stderr, flush=True)
        sys.exit(1)
    if start == "deaf":  # never reads
        time.sleep(60)
    if start == "forgotten" and "--resume" in sys.argv:
        print("No conversation found with session ID: x", file=sys.stderr, flush=True)
        send(type="result", subtype="error_during_execution", is_error=True, session_id="x")
        sys.exit(1)
    if start == "early" and "--resume" in sys.argv:  # asks before it has read anything
        send(type="control_request", request_id="q1",
            request={"subtype": "can_use_tool", "tool_name": "Bash", "input": {"command": "ls"},
                     "tool_use_id": "u1"})
        control_response(read())
        init()
        text(json.dumps(read()["response"]))
        result()
    while True:
        message = read()
        if message["type"] == "control_request":
            control_response(message)
        elif message["type"] == "user":
            content = message["message"]["content"]
            turn(content if isinstance(content, str) else content[0]["text"], message["uuid"])


main()

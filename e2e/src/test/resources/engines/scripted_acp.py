#!/usr/bin/env python3
"""Scripted ACP agent without a model. The prompt selects the behavior:

SAY:text   answer with the text
ENV        answer with the environment
RUN:words  ask for permission, then run the command and answer with its output
HOLD       answer after the file go exists or after a cancel
MUTE       never answer, not even after a cancel
FLOOD      print megabytes of unknown updates and text that is not JSON, then answer
LATIN1     print bytes that are not UTF-8, then answer
ENDLESS    print a line without an end
STRANGE    print messages with wrong fields, then answer
TWICE      answer twice, and answer a request that does not exist
DIE        exit during a tool call
DIE-ASKING exit with an open request for permission
"""
import json
import os
import subprocess
import sys
import threading
import uuid

lock = threading.Lock()
answers = {}
cancelled = threading.Event()
session = str(uuid.uuid4())


def write(data):
    with lock:
        sys.stdout.buffer.write(data)
        sys.stdout.buffer.flush()


def send(message):
    write(json.dumps({"jsonrpc": "2.0", **message}).encode() + b"\n")


def update(content):
    send({"method": "session/update", "params": {"sessionId": session, "update": content}})


def say(text):
    update({"sessionUpdate": "agent_message_chunk", "content": {"type": "text", "text": text}})


def tool(status, **fields):
    kind = "tool_call" if status == "pending" else "tool_call_update"
    update({"sessionUpdate": kind, "toolCallId": "call-1", "status": status, **fields})


def ask(command):
    """Asks for permission and waits for the answer; returns whether the call may run."""
    request = str(uuid.uuid4())
    answers[request] = threading.Event()
    send({"id": request, "method": "session/request_permission", "params": {
        "sessionId": session,
        "toolCall": {"toolCallId": "call-1", "title": command, "kind": "execute",
                     "status": "pending", "rawInput": {"command": command}},
        "options": [{"optionId": "yes", "name": "Yes", "kind": "allow_once"},
                    {"optionId": "no", "name": "No", "kind": "reject_once"}]}})
    return request


def answer_to(request):
    answers[request].wait()
    return answers[request].outcome.get("optionId") == "yes"


def run(command):
    tool("pending", title=command, kind="execute", rawInput={"command": command})
    if not answer_to(ask(command)):
        tool("failed", content=[text_content("The call was rejected")])
        return say("not allowed")
    output = subprocess.run(command, shell=True, capture_output=True, text=True).stdout
    tool("completed", content=[text_content(output)], rawOutput={"output": output})
    say(output)


def text_content(text):
    return {"type": "content", "content": {"type": "text", "text": text}}


def die(command):
    tool("pending", title=command, kind="execute", rawInput={"command": command})
    if command == "ask":
        ask(command)
    print("out of luck", file=sys.stderr, flush=True)
    os._exit(7)


def flood():
    for number in range(20_000):
        update({"sessionUpdate": "no_such_update", "number": number, "text": "x" * 400})
        write(b"this line is not JSON " * 20 + b"\n")


def endless():
    while True:
        write(b"x" * 65536)


def strange():
    for line in [[], 7, None, {"id": 1}, {"method": 5}, {"method": "session/update"},
                 {"method": "session/update", "params": []},
                 {"method": "session/update", "params": {"sessionId": session, "update": "x"}},
                 {"method": "session/update", "params": {"sessionId": "other", "update": {
                     "sessionUpdate": "agent_message_chunk",
                     "content": {"type": "text", "text": "for another session"}}}},
                 {"id": "q", "method": "fs/read_text_file", "params": {"path": "/etc/passwd"}},
                 {"id": "r", "method": "no/such/method"}]:
        write(json.dumps(line).encode() + b"\n")
    update({"sessionUpdate": "tool_call_update", "toolCallId": "unknown", "status": "completed"})
    update({"sessionUpdate": "plan", "entries": "none"})


def hold():
    say("holding")
    while not cancelled.wait(0.05) and not os.path.exists("go"):
        pass
    if os.path.exists("go"):
        os.remove("go")


def perform(prompt):
    """Returns the stop reason, or None if there is no answer."""
    word, _, rest = prompt.strip().splitlines()[-1].partition(":")
    if word == "MUTE":
        return None
    actions = {"SAY": lambda: say(rest), "ENV": lambda: say(json.dumps(dict(os.environ))),
               "RUN": lambda: run(rest), "HOLD": hold, "FLOOD": flood, "ENDLESS": endless,
               "LATIN1": lambda: write(b"\xff\xfe not UTF-8\n"), "STRANGE": strange,
               "TWICE": lambda: None,
               "DIE": lambda: die("run"), "DIE-ASKING": lambda: die("ask")}
    actions.get(word, lambda: say("you said " + prompt))()
    if word in ("FLOOD", "LATIN1", "STRANGE", "TWICE"):
        say("survived")
    return "cancelled" if cancelled.is_set() else "end_turn"


def prompted(request):
    prompt = "\n".join(block.get("text", "") for block in request["params"]["prompt"])
    reason = perform(prompt)
    if reason:
        send({"id": request["id"], "result": {"stopReason": reason}})
    if "TWICE" in prompt:
        send({"id": request["id"], "result": {"stopReason": "refusal"}})
        send({"id": "of nobody", "result": {}})
    cancelled.clear()


def result(method):
    if method == "initialize":
        return {"protocolVersion": 1, "agentCapabilities": {"loadSession": True},
                "agentInfo": {"name": "scripted", "version": "1"}}
    if method == "session/new":
        return {"sessionId": session}
    if method == "session/load":
        say("replayed")
        update({"sessionUpdate": "user_message_chunk", "content": {"type": "text", "text": "old"}})
    return {}


for line in sys.stdin:
    message = json.loads(line)
    method = message.get("method")
    if method == "session/prompt":
        threading.Thread(target=prompted, args=[message], daemon=True).start()
    elif method == "session/cancel":
        cancelled.set()
    elif method == "session/load":
        session = message["params"]["sessionId"]
        send({"id": message["id"], "result": result(method)})
    elif method and "id" in message:
        send({"id": message["id"], "result": result(method)})
    elif message.get("id") in answers:
        event = answers[message["id"]]
        event.outcome = message.get("result", {}).get("outcome", {})
        event.set()

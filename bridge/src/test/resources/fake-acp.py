#!/usr/bin/env python3
"""Implements an agent of the Agent Client Protocol for tests; the prompt selects its behavior.

Appends each message that it reads to the file FAKE_LOG. FAKE_START changes its start. Conversations
are stored in the home, so that another process can load them.
"""
import json
import os
import subprocess
import sys
import time

LOG = open(os.environ["FAKE_LOG"], "a")
STORE = os.path.join(os.environ["HOME"], "conversations.json")
START = os.environ.get("FAKE_START", "")
state = {"session": "", "model": "small", "calls": 0}


def log(entry):
    LOG.write(json.dumps(entry) + "\n")
    LOG.flush()


def raw(data):
    sys.stdout.buffer.write(data)
    sys.stdout.buffer.flush()


def send(**message):
    raw(json.dumps(dict(jsonrpc="2.0", **message)).encode() + b"\n")


def read():
    line = sys.stdin.readline()
    if not line:
        sys.exit(0)
    message = json.loads(line)
    log(message)
    return message


def update(variety, **fields):
    send(method="session/update",
         params={"sessionId": state["session"], "update": dict(sessionUpdate=variety, **fields)})


def text(value, kind="agent_message_chunk"):
    update(kind, content={"type": "text", "text": value})


def stored():
    return json.load(open(STORE)) if os.path.exists(STORE) else {}


def remember(prompt):
    conversations = stored()
    conversations.setdefault(state["session"], []).append(prompt)
    json.dump(conversations, open(STORE, "w"))


def call(command, **fields):
    state["calls"] += 1
    name = "c%d" % state["calls"]
    update("tool_call", toolCallId=name, title="bash", kind="execute", status="pending", rawInput={})
    update("tool_call_update", toolCallId=name, title=command, status="in_progress",
           rawInput={"command": command}, **fields)
    return name


def completed(name, output):
    update("tool_call_update", toolCallId=name, status="completed",
           content=[{"type": "content", "content": {"type": "text", "text": output}}])


OPTIONS = [{"optionId": "always", "name": "Always", "kind": "allow_always"},
           {"optionId": "yes", "name": "Once", "kind": "allow_once"},
           {"optionId": "no", "name": "No", "kind": "reject_once"}]


def ask(name, command, request="q1", options=OPTIONS):
    send(id=request, method="session/request_permission",
         params={"sessionId": state["session"], "options": options,
                 "toolCall": {"toolCallId": name, "title": command, "kind": "execute",
                              "status": "pending", "rawInput": {"command": command}}})


def outcome(request="q1"):
    message = read()
    while message.get("id") != request or "method" in message:
        message = read()
    return message["result"]["outcome"].get("optionId", message["result"]["outcome"]["outcome"])


def end(request, reason="end_turn", **more):
    send(id=request, result=dict(stopReason=reason, **more))


def turn(request, prompt):
    word, _, rest = prompt.partition(" ")
    if word == "die":
        text("about to die")
        print("a last word", file=sys.stderr, flush=True)
        os._exit(7)
    if word == "orphan":  # exits while its child keeps stdout open
        child = subprocess.Popen(["sleep", "300"])
        log({"child": child.pid})
        os._exit(9)
    if word == "child":  # a child in a session of its own
        child = subprocess.Popen(["sleep", "300"], start_new_session=True)
        log({"child": child.pid})
    if word == "deaf":  # neither reads nor exits
        text("now deaf")
        while True:
            time.sleep(60)
    if word == "wait":  # like goose, does not report that it was cancelled
        text("waiting")
        while read().get("method") != "session/cancel":
            pass
        text("late")
        end(request)
        text("later")
        return
    if word == "flood":
        for number in range(int(rest)):
            text("word-%d " % number)
    if word == "endless":
        raw(b'{"jsonrpc":"2.0","method":"session/update","params":"')
        while True:
            raw(b"x" * 1024 * 1024)
    if word == "latin1":
        raw(b'{"jsonrpc":"2.0","method":"session/update","params":"\xe9"}\n')
    if word == "noise":
        raw(b"Warning: this is not JSON\n[1,2]\n\n{\"neither\":1}\n")
        send(method="session/update", params={"update": 7})
        update("tool_call")
        update("brand_new", x=1)
        update("user_message_chunk", content={"type": "text", "text": "echo"})
        send(method="_vendor/thing", params={})
        send(id="r1", method="fs/read_text_file", params={})
    if word == "twice":
        end(request)
        end(request, "refusal")
        send(id=999, result={})
        return
    if word == "error":
        send(id=request, error={"code": -32603, "message": "Internal error",
                                "data": {"details": "the model is on fire"}})
        return
    if word == "stop":
        end(request, rest)
        return
    if word == "run":
        name = call(rest)
        completed(name, "ran " + rest)
    if word in ("ask", "ask-unreported", "ask-twice"):
        name = call(rest)
        ask(name, rest)
        chosen = outcome()
        if chosen == "yes":
            completed(name, "ran " + rest)
            if word == "ask-twice":
                ask(name, rest, "q2")
                chosen = outcome("q2")
        elif word == "ask":
            update("tool_call_update", toolCallId=name, status="failed")
        if chosen == "no":  # like opencode, stops
            end(request)
            return
        text("outcome " + chosen)
        end(request)
        return
    if word == "ask-always":  # offers no single approval
        name = call(rest)
        ask(name, rest, options=[OPTIONS[0], OPTIONS[2]])
        text("outcome " + outcome())
        end(request)
        return
    if word == "ask-die":
        name = call(rest)
        ask(name, rest)
        read()
        os._exit(3)
    if word == "think":
        text("let me ", "agent_thought_chunk")
        text("think", "agent_thought_chunk")
    if word == "plan":
        update("plan", entries=[{"content": "one", "priority": "high", "status": "completed"},
                                {"content": "two", "priority": "low", "status": "in_progress"}])
    text("you said ")
    text(prompt)
    update("usage_update", used=10, size=1000, cost={"amount": 0.25, "currency": "USD"})
    end(request, usage={"inputTokens": 7, "outputTokens": 3, "totalTokens": 10})


def opened(request, **more):
    send(id=request, result=dict(
        models={"currentModelId": "small",
                "availableModels": [{"modelId": "small"}, {"modelId": "acme/large"}]}, **more))


def main():
    log({"start": os.getpid(), "arguments": sys.argv[1:],
         "variables": {key: os.environ.get(key) for key in ("MODEL_URL", "MODEL_KEY", "MODEL")}})
    if START == "refuse":
        print("Error: not today", file=sys.stderr, flush=True)
        sys.exit(1)
    while True:
        message = read()
        method, request = message.get("method"), message.get("id")
        params = message.get("params", {})
        if method == "initialize":
            send(id=request, result={
                "protocolVersion": 2 if START == "newer" else 1,
                "authMethods": [{"id": "fake-api-key"}],
                "agentCapabilities": {"loadSession": START != "forgetful",
                                      "promptCapabilities": {"image": True},
                                      "mcpCapabilities": {"http": True}}})
        elif method == "session/new":
            if START == "locked" and not state.get("login"):
                send(id=request, error={"code": -32000, "message": "Authentication required"})
                continue
            state["session"] = "s%d" % (len(stored()) + 1)
            opened(request, sessionId=state["session"])
            update("available_commands_update", availableCommands=[])
            if START == "brief":
                os._exit(5)
        elif method == "authenticate":
            state["login"] = True
            send(id=request, result={})
        elif method == "session/load":
            if params["sessionId"] not in stored() or START == "lost":
                send(id=request, error={"code": -32603, "message": "Session not found"})
                continue
            state["session"] = params["sessionId"]
            if START == "gemini":  # repeats updates after its response
                opened(request)
            for prompt in stored()[state["session"]]:
                text(prompt, "user_message_chunk")
                text("old answer")
            if START != "gemini":
                opened(request)
        elif method == "session/set_model":
            state["model"] = params["modelId"]
            send(id=request, result={})
        elif method == "session/prompt":
            prompt = params["prompt"][-1].get("text", "")
            remember(prompt)
            turn(request, prompt)
        elif method and request is not None:
            send(id=request, error={"code": -32601, "message": "unknown"})


main()

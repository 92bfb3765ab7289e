#!/usr/bin/env python3
"""Scripted Claude Code CLI that implements stream-json. The prompt selects the response:

TOOL {"name": ..., "input": ...}  call a tool, after asking the PreToolUse hook for permission
LENGTH                            stop at the output limit
FAIL                              report a failed model call
WAIT path                         answer after this file exists
anything else                     answer with fixed text
"""
import difflib
import json
import os
import subprocess
import sys
import time
import uuid

SESSION = str(uuid.uuid4())
ANSWER = ["I'll tighten ", "the bridge ", "startup validation"]
pending = []


def send(message):
    message["session_id"] = SESSION
    sys.stdout.write(json.dumps(message) + "\n")
    sys.stdout.flush()


def event(data):
    send({"type": "stream_event", "event": data, "uuid": str(uuid.uuid4())})


def begin(block):
    message_id = "msg-resp-" + uuid.uuid4().hex
    event({"type": "message_start", "message": {"id": message_id, "role": "assistant", "content": []}})
    event({"type": "content_block_start", "index": 0, "content_block": block})
    return message_id


def delta(data):
    event({"type": "content_block_delta", "index": 0, "delta": data})


def end(message_id, block, stop_reason):
    send({"type": "assistant", "uuid": str(uuid.uuid4()), "message": {
        "id": message_id, "role": "assistant", "content": [block], "stop_reason": None}})
    event({"type": "content_block_stop", "index": 0})
    event({"type": "message_delta", "delta": {"stop_reason": stop_reason}})
    event({"type": "message_stop"})


def say(pieces, stop_reason="end_turn"):
    message_id = begin({"type": "text", "text": ""})
    for piece in pieces:
        delta({"type": "text_delta", "text": piece})
    end(message_id, {"type": "text", "text": "".join(pieces)}, stop_reason)


def result(text, is_error=False):
    send({"type": "result", "subtype": "success", "is_error": is_error, "num_turns": 1,
          "result": text, "duration_ms": 1, "total_cost_usd": 0,
          "usage": {"input_tokens": 1, "output_tokens": 1}})


def read():
    line = sys.stdin.readline()
    if not line:
        sys.exit(0)
    return json.loads(line)


def confirm(request):
    send({"type": "control_response", "response": {
        "subtype": "success", "request_id": request["request_id"], "response": {}}})


def permission(name, params, call):
    """Asks the hook that the client registered, and returns its decision."""
    request = str(uuid.uuid4())
    send({"type": "control_request", "request_id": request, "request": {
        "subtype": "hook_callback", "callback_id": "ash", "tool_use_id": call, "input": {
            "hook_event_name": "PreToolUse", "tool_name": name, "tool_input": params,
            "tool_use_id": call}}})
    while True:
        message = read()
        if message["type"] == "control_response":
            if message["response"]["request_id"] == request:
                return message["response"]["response"].get("hookSpecificOutput", {})
        elif message["type"] == "control_request":
            confirm(message)
        else:
            pending.append(message)


def edit(params):
    with open(params["file_path"]) as file:
        old = file.read()
    new = old.replace(params["old_string"], params["new_string"])
    with open(params["file_path"], "w") as file:
        file.write(new)
    before, after = old.splitlines(), new.splitlines()
    lines = [line for line in difflib.ndiff(before, after) if line[0] in " -+"]
    patch = [{"oldStart": 1, "oldLines": len(before), "newStart": 1, "newLines": len(after),
              "lines": [line[0] + line[2:] for line in lines]}]
    return "File edited successfully", {"filePath": params["file_path"], "structuredPatch": patch}


def run(params):
    done = subprocess.run(params["command"], shell=True, capture_output=True, text=True)
    if done.returncode:
        raise OSError(done.stderr or "exit code %d" % done.returncode)
    return done.stdout, {"stdout": done.stdout, "stderr": ""}


def tool(name, params):
    call = "call-" + uuid.uuid4().hex
    message_id = begin({"type": "tool_use", "id": call, "name": name, "input": {}})
    delta({"type": "input_json_delta", "partial_json": json.dumps(params)})
    end(message_id, {"type": "tool_use", "id": call, "name": name, "input": params}, "tool_use")
    decision = permission(name, params, call)
    block = {"type": "tool_result", "tool_use_id": call}
    details = {}
    if decision.get("permissionDecision") == "allow":
        params = decision.get("updatedInput") or params
        try:
            block["content"], details = edit(params) if name == "edit_file" else run(params)
        except OSError as failure:
            block.update(content=str(failure), is_error=True)
    else:
        block.update(content=decision.get("permissionDecisionReason", "denied"), is_error=True)
    send({"type": "user", "uuid": str(uuid.uuid4()), "tool_use_result": details,
          "message": {"role": "user", "content": [block]}})
    say(["The tool ", "has answered."])
    result("The tool has answered.")


def answer(prompt):
    send({"type": "system", "subtype": "init", "cwd": os.getcwd()})
    if prompt.startswith("TOOL "):
        request = json.loads(prompt[len("TOOL "):])
        tool(request["name"], request["input"])
    elif prompt == "LENGTH":
        say(["This answer is cut"], "max_tokens")
        result("This answer is cut")
    elif prompt == "FAIL":
        text = "API Error: 401 invalid x-api-key"
        send({"type": "assistant", "uuid": str(uuid.uuid4()), "error": "authentication_failed",
              "message": {"id": str(uuid.uuid4()), "model": "<synthetic>", "role": "assistant",
                          "content": [{"type": "text", "text": text}]}})
        result(text, True)
    elif prompt.startswith("WAIT "):
        for _ in range(3000):
            if os.path.exists(prompt[len("WAIT "):]):
                break
            time.sleep(0.01)
        say(["waited"])
        result("waited")
    else:
        say(ANSWER)
        result("".join(ANSWER))


while True:
    message = pending.pop(0) if pending else read()
    if message["type"] == "control_request":
        confirm(message)
    elif message["type"] == "user":
        content = message["message"]["content"]
        answer(content if isinstance(content, str) else content[-1]["text"])

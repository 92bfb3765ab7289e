"""A bridge of the plain protocol that executes its commands sequentially.

The file `answer` contains its response to `resume`: `done`, `error`, `exit`, and seconds to wait. The file
`commands` lists the received commands; the file `starts` has one character per start.
"""
import json
import os
import socket
import time

with open("starts", "a") as starts:
    starts.write("x")
listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
listener.bind(os.environ["ASH_BRIDGE_SOCKET"])
listener.listen(1)
peer, _ = listener.accept()


def send(event):
    peer.sendall((json.dumps(event) + "\n").encode())


def assistant(text):
    send({"ev": "message", "data": {"type": "assistant", "message": {
        "id": "msg_%d" % time.monotonic_ns(), "role": "assistant", "content": [{"type": "text", "text": text}]}}})


def resume(session):
    with open("answer") as answer:
        words = answer.read().split()
    for word in words:
        if word == "done":
            send({"ev": "done", "sessionId": session})
        elif word == "error":
            send({"ev": "error", "error": "no conversation to resume"})
        elif word == "exit":
            os._exit(4)
        else:
            time.sleep(float(word))


def query(prompt, session):
    if prompt == "DIE":
        os._exit(3)
    if prompt == "BREAK":
        os.remove("bridge.py")
        os._exit(3)
    if prompt == "NULL":
        send({"ev": "message", "data": None})
    if prompt == "HOLD":
        assistant("holding")
        while not os.path.exists("go"):
            time.sleep(0.01)
        os._exit(3)
    assistant(prompt)
    send({"ev": "done", "sessionId": session})


send({"ev": "ready"})
for line in peer.makefile("r", encoding="utf-8", newline="\n"):
    command = json.loads(line)
    with open("commands", "a") as commands:
        commands.write(command["cmd"] + "\n")
    if command["cmd"] == "query":
        query(command["prompt"], command["sessionId"])
    elif command["cmd"] == "resume":
        resume(command["sessionId"])
    elif command["cmd"] == "shutdown":
        break

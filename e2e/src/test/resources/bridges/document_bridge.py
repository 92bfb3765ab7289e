"""A bridge written from the published bridge protocol alone: four commands, four events.

It appends each line that it receives to `received.jsonl`, and a description of each start to
`starts.jsonl`, both in its workspace. The first word of a prompt selects the reply:

SAY    sends the other lines of the prompt unchanged, then `done`
RAW    sends the other lines of the prompt unchanged, and nothing else
HOLD   sends the other lines, waits for `interrupt`, then sends `done`
DIE    sends the other lines, then exits with code 3
COUNT  sends the number of prompts of this process as a message, then `done`
FLOOD  sends 64 messages of 64 KiB and a last one, then `done`

`$SESSION` in a line stands for the session id. The file `mode` in the workspace changes the start:
`late` sends `ready` after 0.7 s and counts the bytes that arrived before it, `gated` waits for the
file `go`, `silent` never sends `ready`, `broken` exits immediately, `mute` does not answer `resume`.
"""
import json
import os
import select
import socket
import stat
import sys
import threading
import time

prompts = 0


def main():
    mode = open("mode").read().strip() if os.path.exists("mode") else ""
    if mode == "broken":
        sys.exit("this bridge is broken")
    while mode == "gated" and not os.path.exists("go"):
        time.sleep(0.01)
    path = os.environ["ASH_BRIDGE_SOCKET"]
    listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    listener.bind(path)
    listener.listen(1)
    while True:
        connection, _ = listener.accept()
        if mode == "silent":
            connection.recv(1)
            continue
        early = b""
        if mode == "late" and select.select([connection], [], [], 0.7)[0]:
            early = connection.recv(1 << 16)
        record("starts.jsonl", json.dumps({
            "pid": os.getpid(), "cwd": os.getcwd(), "early": len(early),
            "socketIsFile": stat.S_ISSOCK(os.stat(path).st_mode),
            "sockets": [name for name in os.listdir(os.path.dirname(path))
                        if stat.S_ISSOCK(os.lstat(os.path.join("/tmp", name)).st_mode)],
            "environment": dict(os.environ)}).encode() + b"\n")
        Bridge(connection, mode).serve()


def record(name, data):
    with open(name, "ab") as file:
        file.write(data)


class Bridge:
    def __init__(self, connection, mode):
        self.connection = connection
        self.mode = mode
        self.interrupted = threading.Event()

    def serve(self):
        self.raw(b'{"ev":"ready"}\n')
        for line in self.connection.makefile("rb"):
            record("received.jsonl", line)
            command = json.loads(line.strip())
            kind = command["cmd"]
            if kind == "query":
                self.interrupted.clear()
                threading.Thread(target=self.query, args=(command,), daemon=True).start()
            elif kind == "resume" and self.mode != "mute":
                self.done(command["sessionId"])
            elif kind == "interrupt":
                self.interrupted.set()
            elif kind == "shutdown":
                os._exit(0)

    def query(self, command):
        global prompts
        prompts += 1
        session = command["sessionId"]
        word, *lines = command["prompt"].replace("$SESSION", session).split("\n")
        for line in lines:
            self.raw(line.encode() + b"\n")
        if word == "DIE":
            os._exit(3)
        if word == "COUNT":
            self.raw(b'{"ev":"message","data":%d}\n' % prompts)
        if word == "FLOOD":
            for text in ["x" * (1 << 16)] * 64 + ["end of the flood"]:
                data = {"type": "assistant", "text": text}
                self.raw(json.dumps({"ev": "message", "data": data}).encode() + b"\n")
        if word == "HOLD":
            self.interrupted.wait()
        if word != "RAW":
            self.done(session)

    def done(self, session):
        self.raw(json.dumps({"ev": "done", "sessionId": session}).encode() + b"\n")

    def raw(self, data):
        self.connection.sendall(data)


main()

"""A bridge that implements only the plain protocol: four commands and four events.

The prompt selects its behavior, so that tests can make it fail.
"""
import json
import os
import socket
import sys
import threading
import time


def main():
    path = os.environ["ASH_BRIDGE_SOCKET"]
    listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    listener.bind(path)
    listener.listen(1)
    print("seed bridge listens", file=sys.stderr, flush=True)
    while True:
        connection, _ = listener.accept()
        Bridge(connection).serve()


class Bridge:
    def __init__(self, connection):
        self.connection = connection
        self.interrupted = threading.Event()
        self.lines = connection.makefile("r", encoding="utf-8", newline="\n")

    def serve(self):
        self.send({"ev": "ready"})
        for line in self.lines:
            command = json.loads(line.strip())
            kind = command.get("cmd")
            if kind == "query":
                self.interrupted.clear()
                threading.Thread(target=self.query, args=(command,), daemon=True).start()
            elif kind == "resume":
                self.done(command["sessionId"])
            elif kind == "interrupt":
                self.interrupted.set()
            elif kind == "shutdown":
                os._exit(0)
            # Everything else is from a newer peer, and none of our business.

    def query(self, command):
        received = time.monotonic_ns()
        prompt = command["prompt"]
        session = command["sessionId"]
        word, _, rest = (prompt if isinstance(prompt, str) else "BLOCKS").partition(" ")
        if word == "GARBAGE":
            self.raw(b"Listening on port 1234\n")
        elif word == "ARRAY":
            self.raw(b'[{"ev":"done"}]\n')
        elif word == "LATIN1":
            self.raw('{"ev":"error","error":"für"}\n'.encode("latin-1"))
        elif word == "LONG":
            self.raw(b'{"ev":"error","error":"' + b"x" * (16 * 1024 * 1024 + 1) + b'"}\n')
        elif word == "UTF16":
            self.raw('{"ev":"done"}'.encode("utf-16-le") + b"\n")
        elif word == "DIE":
            self.assistant("about to die")
            print("the bridge chose to die", file=sys.stderr, flush=True)
            os._exit(3)
        elif word == "HALF":
            self.raw(b'{"ev":"message","data":{"type":"assi')
            os._exit(3)
        elif word == "FAIL":
            self.send({"ev": "error", "error": rest})
            self.done(session)
        elif word == "HANG":
            self.assistant("hanging")
            self.interrupted.wait()
            self.send({"ev": "message", "data": {"type": "result", "subtype": "interrupted"}})
            self.done(session)
        elif word == "MANY":
            for i in range(int(rest)):
                self.assistant("message %d" % i)
            self.done(session)
        elif word == "TRICKLE":
            # A burst that lasts: messages of many sizes, with characters of many bytes.
            count, microseconds = map(int, rest.split())
            for i in range(count):
                self.assistant("grüße 🚀 %d " % i + "ä" * (i * 37 % 500))
                time.sleep(microseconds / 1e6)
            self.done(session)
        elif word == "PIECES":
            size, _, text = rest.partition(" ")
            line = json.dumps({"ev": "message", "data": {"type": "text", "text": text}},
                              ensure_ascii=False)
            data = (line + "\n").encode("utf-8")
            for start in range(0, len(data), int(size)):
                self.raw(data[start:start + int(size)])
            self.done(session)
        elif word == "SPACED":
            # Legal JSON that would tear an event stream if it were passed on as it is.
            self.raw(b'{"ev":"message","data":{\r"type" :\r"result"\r}}\n')
            self.done(session)
        else:
            self.send({"ev": "message", "data": {
                "type": "assistant", "session": session,
                "message": {"role": "assistant", "content": [{"type": "text", "text": prompt}]},
                "engineNanos": time.monotonic_ns() - received}})
            self.send({"ev": "message", "data": {"type": "result", "result": prompt}})
            self.done(session)

    def assistant(self, text):
        self.send({"ev": "message", "data": {"type": "assistant", "message": {
            "role": "assistant", "content": [{"type": "text", "text": text}]}}})

    def done(self, session):
        self.send({"ev": "done", "sessionId": session})

    def send(self, event):
        self.raw((json.dumps(event, ensure_ascii=False) + "\n").encode("utf-8"))

    def raw(self, data):
        self.connection.sendall(data)


main()

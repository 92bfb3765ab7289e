"""A bridge with almost no overhead: its messages are mostly precomputed.

`BURST n` sends n assistant messages in one write, `PUBLISH n ms` sends n messages, one every ms
milliseconds, each with the time of its write in the clock of System.nanoTime(), also in its text, for
clients that get only the text. `DELTAS n` sends n partial messages and the complete one, in one write.
`BOMB kind` exhausts that resource. Events are numbered, so that the server acknowledges them as for the
bridge of Ash.
"""
import json
import os
import socket
import subprocess
import threading
import time

# As long as a typical short message of an engine: 300 to 500 bytes.
MESSAGE = (
    '{"ev":"message","data":{"type":"assistant","message":{"id":"msg_01%022d",'
    '"type":"message","role":"assistant","model":"claude-sonnet-4-5","content":[{"type":"text",'
    '"text":"%s"}],"stop_reason":null,"usage":{"input_tokens":10,"output_tokens":25}},'
    '"parent_tool_use_id":null,"session_id":"5b2a5a2e-7f2c-4f57-9a3c-0f6a3b1c9f10","at":%d},'
    '"turnId":"%s","n":%d}\n')

DELTA = (
    '{"ev":"message","data":{"type":"stream_event","event":{"type":"content_block_delta","index":0,'
    '"delta":{"type":"text_delta","text":"word "}},'
    '"session_id":"5b2a5a2e-7f2c-4f57-9a3c-0f6a3b1c9f10","parent_tool_use_id":null,'
    '"uuid":"99f15ee8-36c7-49c2-b8a5-%012d"},"turnId":"%s","n":%d}\n')

BOMBS = {
    "FORK": "bomb() { bomb | bomb & }; bomb; sleep 60",
    "MEMORY": """for i in $(seq 60); do python3 -c 'b"x" * (4 << 30)'; done""",
    "DISK": "for i in $(seq 1000); do head -c 4M /dev/zero > fill$i; done; sleep 60",
    "SPIN": "for i in 1 2 3 4 5 6 7 8; do while :; do :; done & done; sleep 60",
}


class Bridge:
    def __init__(self, connection):
        self.connection = connection
        self.n = 0

    def number(self):
        self.n += 1
        return self.n

    def send(self, **event):
        self.connection.sendall(json.dumps(event).encode() + b"\n")

    def message(self, text, turn):
        n = self.number()
        return MESSAGE % (n, text, time.monotonic_ns(), turn, n)

    def answer(self, prompt, turn, session):
        word, *numbers = prompt.split()
        if word == "BOMB":
            subprocess.run(["bash", "-c", BOMBS[numbers[0]]])
        elif word == "BURST":
            burst = [self.message("message", turn) for _ in range(int(numbers[0]))]
            self.connection.sendall("".join(burst).encode())
        elif word == "DELTAS":
            deltas = [DELTA % (i, turn, self.number()) for i in range(int(numbers[0]))]
            deltas.append(self.message("word " * 10, turn))
            self.connection.sendall("".join(deltas).encode())
        else:
            for _ in range(int(numbers[0])):
                time.sleep(int(numbers[1]) / 1000)
                text = "alone %d" % time.monotonic_ns()
                self.connection.sendall(self.message(text, turn).encode())
        self.send(ev="done", sessionId=session, turnId=turn, n=self.number())

    def serve(self):
        self.send(ev="ready", sandboxId=os.environ["ASH_SANDBOX_ID"],
                  nonce=os.environ["ASH_BRIDGE_NONCE"])
        for line in self.connection.makefile("r", encoding="utf-8", newline="\n"):
            command = json.loads(line)
            kind = command["cmd"]
            if kind == "attach":
                self.send(ev="attached", state="idle")
            elif kind == "query":
                args = (command["prompt"], command["turnId"], command["sessionId"])
                threading.Thread(target=self.answer, args=args, daemon=True).start()
            elif kind == "resume":
                self.send(ev="done", sessionId=command["sessionId"], n=self.number())
            elif kind == "exec":
                self.send(ev="exec_result", id=command["id"], exitCode=128, stdout="",
                          stderr="exec is not supported", n=self.number())
            elif kind == "rest":
                self.send(ev="resting", ready=False, why="rest is not supported")
            elif kind == "shutdown":
                os._exit(0)


def main():
    listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    listener.bind(os.environ["ASH_BRIDGE_SOCKET"])
    listener.listen(1)
    connection, _ = listener.accept()
    Bridge(connection).serve()


main()

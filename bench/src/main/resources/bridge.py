"""A bridge that costs next to nothing: what it says is made before it is asked.

`BURST n` answers with n assistant messages in one write, `PUBLISH n ms` with n of them, one every
ms milliseconds, each with the time of its write on the clock that System.nanoTime() reads.
"""
import json
import os
import socket
import threading
import time


def assistant(text, **more):
    # As long as what an engine says: its short answers are 300 to 500 bytes.
    return (json.dumps({"ev": "message", "data": dict({
        "type": "assistant",
        "message": {"id": "msg_01XFDUDYJgAACzvnptvVoYEL", "type": "message", "role": "assistant",
                    "model": "claude-sonnet-4-5", "content": [{"type": "text", "text": text}],
                    "stop_reason": None, "usage": {"input_tokens": 10, "output_tokens": 25}},
        "parent_tool_use_id": None, "session_id": "5b2a5a2e-7f2c-4f57-9a3c-0f6a3b1c9f10"}, **more)},
        separators=(",", ":")) + "\n").encode()


BURST = {}
DONE = b'{"ev":"done","sessionId":""}\n'


def burst(count):
    if count not in BURST:
        BURST[count] = b"".join(assistant("message %d" % i) for i in range(count)) + DONE
    return BURST[count]


def answer(connection, prompt):
    word, *numbers = prompt.split()
    if word == "BURST":
        connection.sendall(burst(int(numbers[0])))
    else:
        for _ in range(int(numbers[0])):
            time.sleep(int(numbers[1]) / 1000)
            connection.sendall(assistant("alone", at=time.monotonic_ns()))
        connection.sendall(DONE)


def main():
    listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    listener.bind(os.environ["ASH_BRIDGE_SOCKET"])
    listener.listen(1)
    burst(10000)
    connection, _ = listener.accept()
    connection.sendall(b'{"ev":"ready"}\n')
    for line in connection.makefile("r", encoding="utf-8", newline="\n"):
        command = json.loads(line)
        if command["cmd"] == "query":
            threading.Thread(
                target=answer, args=(connection, command["prompt"]), daemon=True).start()
        elif command["cmd"] == "shutdown":
            os._exit(0)


main()

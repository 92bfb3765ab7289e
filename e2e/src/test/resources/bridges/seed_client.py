"""A client that implements only the plain protocol: starts a bridge, sends the four commands, prints events.

Usage: seed_client.py SOCKET BRIDGE-COMMAND...
"""
import json
import os
import socket
import subprocess
import sys
import time

path, command = sys.argv[1], sys.argv[2:]
bridge = subprocess.Popen(command, env={**os.environ, "ASH_BRIDGE_SOCKET": path})
deadline = time.monotonic() + 10  # the plain protocol's time for ready
connection = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
while True:
    try:
        connection.connect(path)
        break
    except OSError:
        if time.monotonic() > deadline or bridge.poll() is not None:
            sys.exit("no bridge at " + path)
        time.sleep(0.01)
connection.settimeout(30)
lines = connection.makefile("r", encoding="utf-8", newline="\n")


def receive():
    """Returns the next event of the plain protocol; skips other events of newer bridges."""
    while True:
        event = json.loads(lines.readline().strip())
        if event["ev"] in ("ready", "message", "error", "done"):
            print(json.dumps(event), flush=True)
            return event


def send(message):
    connection.sendall((json.dumps(message) + "\n").encode("utf-8"))


def turn(message):
    send(message)
    while receive()["ev"] != "done":
        pass


assert receive()["ev"] == "ready"
session = "550e8400-e29b-41d4-a716-446655440000"
turn({"cmd": "query", "prompt": "hello", "sessionId": session})
turn({"cmd": "query", "prompt": "grüße 🚀", "sessionId": session, "includePartialMessages": True})
turn({"cmd": "resume", "sessionId": session})
send({"cmd": "interrupt"})
turn({"cmd": "query", "prompt": "still there?", "sessionId": session})
send({"cmd": "shutdown"})
print("exit code", bridge.wait(timeout=20))

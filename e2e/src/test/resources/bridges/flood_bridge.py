"""A bridge that sends large messages as fast as the server accepts them, once the file `go` exists."""
import json, os, socket, time

MESSAGES, BYTES = 16, 8 << 20

listener = socket.socket(socket.AF_UNIX)
listener.bind(os.environ["ASH_BRIDGE_SOCKET"])
listener.listen(1)
peer, _ = listener.accept()


def say(**event):
    peer.sendall(json.dumps(event).encode() + b"\n")


def flood(connection):
    """Writes to the file `waited` how many bytes the server accepted before it stopped reading."""
    while not os.path.exists("go"):
        time.sleep(0.02)
    say(ev="message", data={"type": "assistant", "text": "first"})
    line = json.dumps({"ev": "message", "data": {"type": "stream_event", "text": "x" * BYTES}})
    rest = memoryview((line + "\n").encode() * MESSAGES)
    total, waited = len(rest), False
    connection.settimeout(1)
    while rest:
        try:
            rest = rest[connection.send(rest[: 1 << 16]):]
        except TimeoutError:
            if not waited:
                waited = True
                with open("waited.new", "w") as file:
                    file.write(str(total - len(rest)))
                os.rename("waited.new", "waited")
    connection.settimeout(None)


say(ev="ready")
for line in peer.makefile("rb"):
    command = json.loads(line)
    if command["cmd"] == "query":
        if command["prompt"] == "FLOOD":
            flood(peer)
        say(ev="done", sessionId=command["sessionId"])
    elif command["cmd"] == "resume":
        say(ev="done", sessionId=command["sessionId"])
    elif command["cmd"] == "shutdown":
        os._exit(0)

"""A fake bridge for tests: sends ready, runs `exec` commands, and misbehaves on demand."""
import json, os, socket, subprocess, sys, time

mode = sys.argv[1]
path = os.environ["ASH_BRIDGE_SOCKET"]

if mode == "exits":
    print("no engine today", file=sys.stderr)
    sys.exit(3)
if mode == "never-listens":
    print("thinking about it", file=sys.stderr, flush=True)
    time.sleep(600)

listener = socket.socket(socket.AF_UNIX)
listener.bind(path)
listener.listen(5)

if mode == "reads-descriptor":
    with open(int(os.environ["ASH_BRIDGE_NONCE_FD"])) as pipe:
        nonce = pipe.read()

def send(peer, **event):
    peer.sendall(json.dumps(event).encode() + b"\n")

def serve(peer):
    ready = {"ev": "ready", "sandboxId": os.environ["ASH_SANDBOX_ID"], "nonce": os.environ["ASH_BRIDGE_NONCE"]}
    if mode == "reads-descriptor":
        ready["nonce"] = nonce
    if mode == "bare-ready":
        ready = {"ev": "ready"}
    if mode == "wrong-nonce":
        ready["nonce"] = "guessed"
    if mode == "not-ready-first":
        ready = {"ev": "done", "sessionId": "x"}
    send(peer, **ready)
    for line in peer.makefile("rb"):
        command = json.loads(line)
        if mode == "garbage":
            peer.sendall(b"this is not json\n")
        elif mode == "grows":
            hoard = bytearray(4 << 30)
        elif command["cmd"] == "exec":
            # Inherit stdin, /dev/null: a descriptor opened for the child could show up in tests of our descriptors.
            done = subprocess.run(["/bin/bash", "-c", command["command"]],
                                  stdout=subprocess.PIPE, stderr=subprocess.PIPE)
            send(peer, ev="exec_result", id=command["id"], exitCode=done.returncode,
                stdout=done.stdout.decode(), stderr=done.stderr.decode())
        elif command["cmd"] == "shutdown":
            print("shutdown requested", file=sys.stderr, flush=True)
            sys.exit(7)

peer, _ = listener.accept()
if mode == "says-nothing":
    print("lost for words", file=sys.stderr, flush=True)
    time.sleep(600)
serve(peer)
if mode == "falls-silent":
    listener.accept()
    time.sleep(600)
while mode == "stays":
    serve(listener.accept()[0])

"""Replaces the bridge's socket in its sandbox and attacks the next server that connects."""
import json, os, socket, sys, time

attack = sys.argv[1]
path = os.environ["ASH_BRIDGE_SOCKET"]
own = "/tmp/impostor.sock"


def steal():
    """Returns the nonce if a process of the sandbox exposes it."""
    for pid in filter(str.isdigit, os.listdir("/proc")):
        try:
            for entry in open("/proc/%s/environ" % pid, "rb").read().split(b"\0"):
                if entry.startswith(b"ASH_BRIDGE_NONCE="):
                    return entry.split(b"=", 1)[1].decode()
        except OSError:
            pass
    return "not found"


listener = socket.socket(socket.AF_UNIX)
listener.bind(own)
if attack.startswith("link:"):
    os.unlink(path)
    os.symlink(attack[5:], path)
    os._exit(0)
listener.listen(0 if attack == "never-accepts" else 16)
ready = json.dumps(
    {"ev": "ready", "sandboxId": os.environ["ASH_SANDBOX_ID"], "nonce": steal(), "engine": "demo"}
).encode() + b"\n"
os.rename(own, path)
if os.fork():
    os._exit(0)
os.setsid()
null = os.open("/dev/null", os.O_RDWR)
for descriptor in (0, 1, 2):
    os.dup2(null, descriptor)

waiting = []
if attack == "never-accepts":  # connections that fill the queue
    for _ in range(4):
        client = socket.socket(socket.AF_UNIX)
        client.setblocking(False)
        try:
            client.connect(path)
        except OSError:
            pass
        waiting.append(client)
    time.sleep(600)
while True:
    peer, _ = listener.accept()
    waiting.append(peer)
    try:
        if attack == "stolen-nonce":
            peer.sendall(ready)
        elif attack == "flood":
            peer.sendall(ready)
            event = b'{"ev":"message","data":{"type":"assistant","text":"' + b"x" * 1000000 + b'"}}\n'
            for _ in range(2000):
                peer.sendall(event)
        elif attack == "garbage":
            peer.sendall(b"\x00\xff not json\n")
        elif attack == "slow":
            for byte in ready:
                peer.sendall(bytes([byte]))
                time.sleep(1)
        elif attack == "endless-line":
            while True:
                peer.sendall(b" " * 65536 + b"x")
        elif attack == "hangs-up":
            peer.close()
        # "silent" sends nothing
    except OSError:
        pass

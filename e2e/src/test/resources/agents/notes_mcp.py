"""A small MCP server over stdio with one tool."""
import json
import sys

for line in sys.stdin:
    request = json.loads(line)
    method = request.get("method")
    if method == "initialize":
        result = {"protocolVersion": request["params"]["protocolVersion"],
                  "capabilities": {"tools": {}},
                  "serverInfo": {"name": "notes", "version": "1"}}
    elif method == "tools/list":
        result = {"tools": [{"name": "remember", "description": "Keeps a note.",
                             "inputSchema": {"type": "object",
                                             "properties": {"note": {"type": "string"}},
                                             "required": ["note"]}}]}
    elif method == "tools/call":
        note = request["params"]["arguments"]["note"]
        result = {"content": [{"type": "text", "text": "remembered " + note[::-1]}]}
    else:
        result = {}
    if "id" in request:
        print(json.dumps({"jsonrpc": "2.0", "id": request["id"], "result": result}), flush=True)

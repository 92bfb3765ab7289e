"""An MCP server with one tool. Arguments: its name, and the delay of the first response in seconds,
or "never"."""
import json
import sys
import time

name, delay = sys.argv[1], sys.argv[2]

for line in sys.stdin:
    message = json.loads(line)
    if "id" not in message:
        continue
    method, result = message["method"], {}
    if method == "initialize":
        if delay == "never":
            continue
        time.sleep(float(delay))
        result = {"protocolVersion": message["params"]["protocolVersion"],
                  "capabilities": {"tools": {}},
                  "serverInfo": {"name": name, "version": "1"}}
    elif method == "tools/list":
        result = {"tools": [{"name": "echo", "description": "echo", "inputSchema":
                  {"type": "object", "properties": {"word": {"type": "string"}}}}]}
    elif method == "tools/call":
        word = message["params"]["arguments"]["word"]
        result = {"content": [{"type": "text", "text": name + " heard " + word}]}
    print(json.dumps({"jsonrpc": "2.0", "id": message["id"], "result": result}), flush=True)

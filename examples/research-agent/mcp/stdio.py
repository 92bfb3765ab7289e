"""A minimal MCP server over stdio: JSON-RPC with one message per line, tools only."""

import json
import sys


class ToolError(Exception):
    """A failure whose message is returned to the model."""


class Server:
    def __init__(self, name):
        self.name = name
        self.tools = {}

    def tool(self, name, description, **properties):
        """Returns a decorator that registers a function as a tool; all arguments are strings."""

        def register(function):
            schema = {
                "type": "object",
                "properties": {
                    key: {"type": "string", "description": text} for key, text in properties.items()
                },
                "required": list(properties),
            }
            self.tools[name] = (description, schema, function)
            return function

        return register

    def run(self):
        for line in sys.stdin:
            if line.strip():
                answer = self.answer(json.loads(line))
                if answer is not None:
                    print(json.dumps(answer), flush=True)

    def answer(self, request):
        if "id" not in request:
            return None  # a notification
        reply = {"jsonrpc": "2.0", "id": request["id"]}
        method, params = request.get("method"), request.get("params") or {}
        if method == "initialize":
            reply["result"] = {
                "protocolVersion": params.get("protocolVersion", "2025-06-18"),
                "capabilities": {"tools": {}},
                "serverInfo": {"name": self.name, "version": "1.0.0"},
            }
        elif method == "tools/list":
            reply["result"] = {
                "tools": [
                    {"name": name, "description": description, "inputSchema": schema}
                    for name, (description, schema, _) in self.tools.items()
                ]
            }
        elif method == "tools/call":
            reply["result"] = self.call(params.get("name"), params.get("arguments") or {})
        elif method == "ping":
            reply["result"] = {}
        else:
            reply["error"] = {"code": -32601, "message": f"unknown method: {method}"}
        return reply

    def call(self, name, arguments):
        try:
            if name not in self.tools:
                raise ToolError(f"unknown tool: {name}")
            _, schema, function = self.tools[name]
            missing = [key for key in schema["required"] if key not in arguments]
            if missing:
                raise ToolError("missing arguments: " + ", ".join(missing))
            text = function(**{key: str(arguments[key]) for key in schema["required"]})
            return {"content": [{"type": "text", "text": text}]}
        except (ToolError, OSError, ValueError) as failure:
            return {"content": [{"type": "text", "text": str(failure)}], "isError": True}

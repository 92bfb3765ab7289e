package dev.ash.pair.mcp;

import dev.ash.protocol.json.JsonWriter;
import dev.ash.protocol.json.RawJson;

/** Builds JSON-RPC responses. */
final class JsonRpc {
    static final int PARSE_ERROR = -32700;
    static final int INVALID_REQUEST = -32600;
    static final int METHOD_NOT_FOUND = -32601;
    static final int INVALID_PARAMS = -32602;
    static final int INTERNAL_ERROR = -32603;

    private JsonRpc() {}

    static byte[] result(RawJson id, RawJson result) {
        return JsonWriter.object()
                .put("jsonrpc", "2.0")
                .put("id", id)
                .put("result", result)
                .end()
                .toBytes();
    }

    /** {@code id} is JSON {@code null} if the request has no valid id. */
    static byte[] error(RawJson id, int code, String message) {
        return JsonWriter.object()
                .put("jsonrpc", "2.0")
                .put("id", id)
                .name("error")
                .open('{')
                .put("code", code)
                .put("message", message)
                .close('}')
                .end()
                .toBytes();
    }
}

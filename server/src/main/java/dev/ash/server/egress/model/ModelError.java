package dev.ash.server.egress.model;

import dev.ash.protocol.json.JsonWriter;
import dev.ash.server.egress.http.ProxyException;

/** Converts errors of the proxy to the format of the model APIs, which engines display. */
final class ModelError {
    static ProxyException of(ProxyException error) {
        var body =
                JsonWriter.object()
                        .put("type", "error")
                        .name("error")
                        .open('{')
                        .put("type", type(error.status()))
                        .put("message", error.message())
                        .close('}')
                        .end();
        return new ProxyException(error.status(), error.message(), body.toBytes());
    }

    private static String type(int status) {
        return switch (status) {
            case 401 -> "authentication_error";
            case 402 -> "billing_error";
            case 403 -> "permission_error";
            case 404 -> "not_found_error";
            case 503 -> "overloaded_error";
            case 504 -> "timeout_error";
            default -> status < 500 ? "invalid_request_error" : "api_error";
        };
    }

    private ModelError() {}
}

package dev.ash.server.egress.model;

import dev.ash.protocol.json.JsonWriter;
import dev.ash.server.egress.http.ProxyException;

/** Converts errors of the proxy to the format of the model APIs, which engines display. */
final class ModelError {
    static ProxyException of(ProxyException error, ModelApi api) {
        var body =
                switch (api) {
                    // Clients of OpenAI read the same fields.
                    case ANTHROPIC, OPENAI ->
                            JsonWriter.object()
                                    .put("type", "error")
                                    .name("error")
                                    .open('{')
                                    .put("type", type(error.status()))
                                    .put("message", error.message())
                                    .close('}')
                                    .end();
                    case GOOGLE ->
                            JsonWriter.object()
                                    .name("error")
                                    .open('{')
                                    .put("code", error.status())
                                    .put("message", error.message())
                                    .put("status", googleStatus(error.status()))
                                    .close('}')
                                    .end();
                };
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

    private static String googleStatus(int status) {
        return switch (status) {
            case 401 -> "UNAUTHENTICATED";
            case 402 -> "FAILED_PRECONDITION";
            case 403 -> "PERMISSION_DENIED";
            case 404 -> "NOT_FOUND";
            case 503 -> "UNAVAILABLE";
            case 504 -> "DEADLINE_EXCEEDED";
            default -> status < 500 ? "INVALID_ARGUMENT" : "INTERNAL";
        };
    }

    private ModelError() {}
}

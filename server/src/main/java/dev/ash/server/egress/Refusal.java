package dev.ash.server.egress;

import dev.ash.protocol.json.JsonWriter;

/** A request that is answered here, with a sentence for whoever sent it. */
final class Refusal extends Exception {
    private static final long serialVersionUID = 1L;

    private final int status;
    private final String sentence;

    Refusal(int status, String sentence) {
        super(sentence);
        this.status = status;
        this.sentence = sentence;
    }

    int status() {
        return status;
    }

    String sentence() {
        return sentence;
    }

    /** The sentence itself: npm, git and others show nothing but the reason phrase. */
    String reason() {
        return sentence.replaceAll("[^\\x20-\\x7E]", "?");
    }

    byte[] body(boolean modelCall) {
        return (modelCall ? modelBody() : plainBody()).end().toBytes();
    }

    private JsonWriter plainBody() {
        return JsonWriter.object()
                .put("error", sentence)
                .put("message", sentence)
                .put("code", code())
                .put("statusCode", status);
    }

    /** The shape in which the model's API says what is wrong, which engines know how to show. */
    private JsonWriter modelBody() {
        return JsonWriter.object()
                .put("type", "error")
                .name("error")
                .open('{')
                .put("type", errorType())
                .put("message", sentence)
                .close('}');
    }

    private String code() {
        return switch (status) {
            case 403 -> "NETWORK_BLOCKED";
            case 502, 504 -> "HOST_UNREACHABLE";
            case 503 -> "CAPACITY_REACHED";
            default -> "VALIDATION_FAILED";
        };
    }

    private String errorType() {
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
}

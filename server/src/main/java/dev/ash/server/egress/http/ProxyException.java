package dev.ash.server.egress.http;

import dev.ash.protocol.json.JsonWriter;

/** Thrown to end a request with an error response of the proxy. */
public sealed class ProxyException extends Exception
        permits StaleConnectionException, WithheldResponseException {
    private static final long serialVersionUID = 1L;

    private final int status;
    private final String message;
    private final byte[] body;

    /** Creates an error in the format of this server. */
    public ProxyException(int status, String message) {
        this(
                status,
                message,
                JsonWriter.object()
                        .put("error", message)
                        .put("message", message)
                        .put("code", code(status))
                        .put("statusCode", status)
                        .end()
                        .toBytes());
    }

    /** Creates an error whose JSON {@code body} has the format of another API. */
    public ProxyException(int status, String message, byte[] body) {
        super(message);
        this.status = status;
        this.message = message;
        this.body = body.clone();
    }

    static ProxyException noResponse(boolean timedOut) {
        return timedOut
                ? new ProxyException(504, "Ash: the host did not respond in time; try again")
                : new ProxyException(
                        502, "Ash: the host closed the connection before it responded; try again");
    }

    static ProxyException tooLarge(int maxBytes) {
        return new ProxyException(
                413,
                "Ash: a model request must not exceed %d MiB; send less, for example fewer"
                                .formatted(maxBytes >> 20)
                        + " or smaller images");
    }

    private static String code(int status) {
        return switch (status) {
            case 403 -> "NETWORK_BLOCKED";
            case 502, 504 -> "HOST_UNREACHABLE";
            case 503 -> "CAPACITY_REACHED";
            default -> "VALIDATION_FAILED";
        };
    }

    public int status() {
        return status;
    }

    public String message() {
        return message;
    }

    /** Has the message as reason phrase: npm, git and others display nothing else. */
    byte[] head(boolean keepsAlive) {
        return HttpInput.bytes(
                "HTTP/1.1 %d %s\r\nContent-Type: application/json\r\nContent-Length: %d\r\n%s\r\n"
                        .formatted(
                                status,
                                message.replaceAll("[^\\x20-\\x7E]", "?"),
                                body.length,
                                keepsAlive ? "" : "Connection: close\r\n"));
    }

    byte[] body() {
        return body.clone();
    }
}

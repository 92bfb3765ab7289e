package dev.ash.server.egress.model.request;

/** Thrown for a model request that must not be forwarded; the message is sent to the client. */
public final class RequestRejectedException extends Exception {
    private static final long serialVersionUID = 1L;

    private final int status;

    RequestRejectedException(int status, String message) {
        super(message);
        this.status = status;
    }

    static RequestRejectedException malformed(String reason) {
        return new RequestRejectedException(400, "Ash rejected the model request: " + reason);
    }

    static RequestRejectedException at(String path, String reason) {
        return new RequestRejectedException(
                400, "Ash rejected the model request at %s: %s".formatted(path, reason));
    }

    public int status() {
        return status;
    }

    public String message() {
        return String.valueOf(getMessage());
    }

    /** Truncates a text and replaces unprintable characters, to quote it in an error message. */
    static String printable(String text) {
        var cut = text.length() > 80 ? text.substring(0, 80) + "..." : text;
        return cut.replaceAll("[^\\x20-\\x7E]", "?");
    }
}

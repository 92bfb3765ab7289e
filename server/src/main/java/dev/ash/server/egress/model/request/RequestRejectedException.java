package dev.ash.server.egress.model.request;

/** Thrown for a request to the model that must not be sent; the message is sent to the client. */
public final class RequestRejectedException extends Exception {
    private static final long serialVersionUID = 1L;

    private final int status;

    RequestRejectedException(int status, String message) {
        super(message);
        this.status = status;
    }

    static RequestRejectedException malformed(String what) {
        return new RequestRejectedException(400, "Ash rejected the model request: " + what);
    }

    static RequestRejectedException at(String path, String what) {
        return new RequestRejectedException(
                400, "Ash rejected the model request at %s: %s".formatted(path, what));
    }

    public int status() {
        return status;
    }

    public String message() {
        return String.valueOf(getMessage());
    }

    /** Cuts a quoted text and replaces unprintable characters, for an error message. */
    static String printable(String text) {
        var cut = text.length() > 80 ? text.substring(0, 80) + "..." : text;
        return cut.replaceAll("[^\\x20-\\x7E]", "?");
    }
}

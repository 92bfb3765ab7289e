package dev.ash.server.egress.model.request;

/** A request to the model that must not be sent; the message is one sentence for its sender. */
public final class Rejected extends Exception {
    private static final long serialVersionUID = 1L;

    private final int status;

    Rejected(int status, String message) {
        super(message);
        this.status = status;
    }

    static Rejected malformed(String what) {
        return new Rejected(400, "Ash rejected the model request: " + what);
    }

    static Rejected at(String path, String what) {
        return new Rejected(400, "Ash rejected the model request at %s: %s".formatted(path, what));
    }

    public int status() {
        return status;
    }

    public String sentence() {
        return String.valueOf(getMessage());
    }
}

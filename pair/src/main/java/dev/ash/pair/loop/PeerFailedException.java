package dev.ash.pair.loop;

/** Thrown when a peer cannot complete its turn; the message is shown to the user. */
public final class PeerFailedException extends Exception {
    private static final long serialVersionUID = 1L;

    /** Whether a retry can succeed. */
    public enum Kind {
        /** A retry may succeed, such as after an error of the model API. */
        TRANSIENT,
        PERMANENT
    }

    private final Kind kind;

    public PeerFailedException(Kind kind, String message) {
        super(message);
        this.kind = kind;
    }

    public Kind kind() {
        return kind;
    }

    public String message() {
        return String.valueOf(getMessage());
    }
}

package dev.ash.pair.loop;

/** Thrown when a peer fails to complete its turn; the message is for users. */
public final class PeerFailedException extends Exception {
    private static final long serialVersionUID = 1L;

    /** What to make of it. */
    public enum Kind {
        /** It may go well the next time, such as after an error of the model's API. */
        PASSING,
        LASTING
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

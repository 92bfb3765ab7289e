package dev.ash.pair.loop;

/** A peer could not do its turn; the message is a sentence for people. */
public final class PeerFailedException extends Exception {
    private static final long serialVersionUID = 1L;

    /** What to make of it. */
    public enum Kind {
        /** It may go well the next time, such as after an error of the model's API. */
        PASSING,
        LASTING
    }

    private final Kind kind;

    public PeerFailedException(Kind kind, String sentence) {
        super(sentence);
        this.kind = kind;
    }

    public Kind kind() {
        return kind;
    }

    public String sentence() {
        return String.valueOf(getMessage());
    }
}

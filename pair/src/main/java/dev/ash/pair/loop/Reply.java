package dev.ash.pair.loop;

/** How a turn of a peer ended, and the last that it said. */
public record Reply(String text, Usage usage, End end) {
    public enum End {
        FINISHED,
        /** It took longer than it may, and was interrupted. */
        TIMED_OUT,
        /** Somebody interrupted it. */
        INTERRUPTED
    }

    public static Reply finished(String text, Usage usage) {
        return new Reply(text, usage, End.FINISHED);
    }
}

package dev.ash.pair.loop;

/** How a turn of a peer ended, and the last that it said. */
public record Reply(String text, End end) {
    public enum End {
        FINISHED,
        /** It took longer than it may, and was interrupted. */
        TIMED_OUT
    }

    public static Reply finished(String text) {
        return new Reply(text, End.FINISHED);
    }
}

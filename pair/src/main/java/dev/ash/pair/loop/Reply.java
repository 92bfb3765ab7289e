package dev.ash.pair.loop;

/** The final text of a peer's turn, and how the turn ended. */
public record Reply(String text, End end) {
    public enum End {
        FINISHED,
        /** Interrupted because it exceeded the time limit. */
        TIMED_OUT
    }

    public static Reply finished(String text) {
        return new Reply(text, End.FINISHED);
    }
}

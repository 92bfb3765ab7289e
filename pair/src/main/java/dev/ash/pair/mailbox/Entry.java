package dev.ash.pair.mailbox;

import java.util.Set;

/** A message and its number: its place among the readable messages of the file, from 1. */
public record Entry(long seq, Message message, Set<Flag> flags) {
    /** What is odd about the line that it came from. */
    public enum Flag {
        /** It has no id. */
        NO_ID,
        /** Its id is not the hash of what it says. */
        OTHER_ID,
        /** It has no number of its own: another program wrote it. */
        NO_SEQ,
        /** It has the number of another place: somebody wrote without the lock. */
        OTHER_SEQ
    }
}

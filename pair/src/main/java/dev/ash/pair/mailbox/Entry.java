package dev.ash.pair.mailbox;

import java.util.Set;

/** A message and its number: its position among the readable messages of the file, from 1. */
public record Entry(long seq, Message message, Set<Flag> flags) {
    /** Inconsistencies of the line that contains the message. */
    public enum Flag {
        /** The id is missing. */
        NO_ID,
        /** The id is not the hash of the content. */
        WRONG_ID,
        /** The number is missing: another program wrote the line. */
        NO_SEQ,
        /** The number differs from the position: another program appended without the lock. */
        WRONG_SEQ
    }
}

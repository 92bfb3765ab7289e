package dev.ash.pair.mailbox;

import java.util.Arrays;
import java.util.Locale;
import java.util.Optional;

/** What a message is for. Lines of others may have types that are none of these. */
public enum MessageType {
    TASK,
    RESULT,
    REVIEW,
    SIGNAL,
    CHAT;

    /** As it stands in the file: {@code task}. */
    public String wire() {
        return name().toLowerCase(Locale.ROOT);
    }

    public static Optional<MessageType> of(String wire) {
        return Arrays.stream(values()).filter(type -> type.wire().equals(wire)).findFirst();
    }
}

package dev.ash.pair.mailbox;

import java.util.Arrays;
import java.util.Locale;
import java.util.Optional;

/** Type of a message. Lines of other programs may have other types. */
public enum MessageType {
    TASK,
    RESULT,
    REVIEW,
    SIGNAL,
    CHAT;

    /** Returns the name in the file, such as {@code task}. */
    public String wire() {
        return name().toLowerCase(Locale.ROOT);
    }

    public static Optional<MessageType> of(String wire) {
        return Arrays.stream(values()).filter(type -> type.wire().equals(wire)).findFirst();
    }
}

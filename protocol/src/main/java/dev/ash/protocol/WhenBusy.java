package dev.ash.protocol;

import java.util.Arrays;
import java.util.Locale;

/** How a session handles a message that arrives during a turn. */
public enum WhenBusy {
    /** Rejects it with {@link ErrorCode#SESSION_BUSY}. */
    REJECT,
    /** Stores it and runs it after the preceding turns. */
    QUEUE;

    public String wire() {
        return name().toLowerCase(Locale.ROOT);
    }

    public static WhenBusy ofWire(String wire) {
        return Arrays.stream(values())
                .filter(choice -> choice.wire().equals(wire))
                .findFirst()
                .orElseThrow(() -> ApiException.invalid("whenBusy", "must be reject or queue"));
    }
}

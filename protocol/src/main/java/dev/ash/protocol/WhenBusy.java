package dev.ash.protocol;

import java.util.Arrays;
import java.util.Locale;

/** What becomes of a message that arrives during a turn. */
public enum WhenBusy {
    /** It is rejected with {@link ErrorCode#SESSION_BUSY}. */
    REJECT,
    /** It is stored and runs after the turns before it. */
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

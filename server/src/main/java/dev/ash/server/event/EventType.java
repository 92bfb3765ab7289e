package dev.ash.server.event;

import java.util.Locale;

/** The kinds of rows in the log. Prompts and the lifecycle are history, not part of a stream. */
public enum EventType {
    PROMPT,
    MESSAGE,
    ERROR,
    DONE,
    APPROVAL_REQUIRED,
    APPROVAL_RESOLVED,
    NETWORK_BLOCKED,
    /** What a hook said of a session that runs outside Ash. */
    HOOK,
    LIFECYCLE;

    private final String wire = name().toLowerCase(Locale.ROOT);

    String wire() {
        return wire;
    }

    static EventType ofWire(String wire) {
        return valueOf(wire.toUpperCase(Locale.ROOT));
    }
}

package dev.ash.server.event;

import java.util.Locale;

/** The kinds of rows in the log. Prompts and the lifecycle are history, not part of a stream. */
public enum EventType {
    PROMPT(0),
    /** As many rows as its content blocks make. */
    MESSAGE(0),
    ERROR(1),
    DONE(0),
    APPROVAL_REQUIRED(0),
    APPROVAL_RESOLVED(0),
    NETWORK_BLOCKED(1),
    /** What a hook said of a session that runs outside Ash. */
    HOOK(1),
    LIFECYCLE(1);

    private final String wire = name().toLowerCase(Locale.ROOT);
    private final int eventRows;

    EventType(int eventRows) {
        this.eventRows = eventRows;
    }

    /** The rows of {@code GET …/events} that an event of this type makes, if it is no message. */
    int eventRows() {
        return eventRows;
    }

    String wire() {
        return wire;
    }

    static EventType ofWire(String wire) {
        return valueOf(wire.toUpperCase(Locale.ROOT));
    }
}

package dev.ash.server.event;

import java.util.Locale;

/** The types of events in the log. */
public enum EventType {
    PROMPT(0),
    /** The number of its rows depends on its content. */
    MESSAGE(0),
    ERROR(1),
    DONE(0),
    APPROVAL_REQUIRED(0),
    APPROVAL_RESOLVED(0),
    NETWORK_BLOCKED(1),
    /** The report of a hook of a terminal session. */
    HOOK(1),
    LIFECYCLE(1);

    private final String wire = name().toLowerCase(Locale.ROOT);
    private final int eventRows;

    EventType(int eventRows) {
        this.eventRows = eventRows;
    }

    /** Returns the number of rows of {@code GET …/events} for this type; messages vary. */
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

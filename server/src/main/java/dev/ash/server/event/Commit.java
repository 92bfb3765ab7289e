package dev.ash.server.event;

import java.util.List;

/**
 * What a unit of work returns: the events to append in its transaction, in this order, and a value
 * for the caller.
 */
public record Commit<T>(List<NewEvent> events, T value) {
    public Commit {
        events = List.copyOf(events);
    }

    /** For a unit whose only result are its events. */
    public static Commit<List<NewEvent>> of(List<NewEvent> events) {
        return new Commit<>(events, events);
    }
}

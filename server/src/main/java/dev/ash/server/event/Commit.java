package dev.ash.server.event;

import java.util.List;

/**
 * The result of a unit of work: the events to append in its transaction, in this order, and a value
 * for the caller.
 */
public record Commit<T>(List<NewEvent> events, T value) {
    public Commit {
        events = List.copyOf(events);
    }

    /** For a unit of work that returns only its events. */
    public static Commit<List<NewEvent>> of(List<NewEvent> events) {
        return new Commit<>(events, events);
    }
}

package dev.ash.server.event;

import dev.ash.server.store.Housekeeping.Task;
import dev.ash.server.store.Storage;
import java.util.List;

/**
 * The stored event log of all sessions: appends events, publishes them to subscribers, and reads
 * pages of one session's events.
 */
public final class EventLog {
    private final SessionEvents events;
    private final EventViews views;
    private final LogSizeStore sizes;

    public EventLog(Storage storage, LogLimit limit) {
        var store = new EventStore(storage.database(), limit);
        this.events = new SessionEvents(storage.database(), store, storage.clock());
        this.views = new EventViews(store);
        this.sizes = new LogSizeStore(storage.database(), store);
    }

    public SessionEvents events() {
        return events;
    }

    public EventViews views() {
        return views;
    }

    public List<Task> tasks() {
        return List.of(new Task("the calculation of log sizes", sizes::fill));
    }
}

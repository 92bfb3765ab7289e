package dev.ash.server.event;

import dev.ash.protocol.SessionId;
import dev.ash.protocol.TenantId;
import dev.ash.server.store.Timestamps;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Optional;
import java.util.UUID;

/**
 * The views of the log for {@code GET …/messages} and {@code GET …/events}. Rows are passed to the
 * consumer one by one, so that a page of large rows is never in memory completely.
 */
public final class EventViews {
    private static final int BATCH = 500;

    private final EventStore store;

    public EventViews(EventStore store) {
        this.store = store;
    }

    /** Receives the rows of a page one by one. */
    public interface RowConsumer {
        /** Returns whether to continue. The row must not be retained. */
        boolean accept(ViewRow row) throws IOException;
    }

    /** Reads messages with a greater sequence than {@code after}, at most {@code limit}. */
    public void messages(
            TenantId tenant, SessionId session, long after, int limit, RowConsumer consumer)
            throws IOException, InterruptedException {
        long last = after;
        int remaining = limit;
        try (var log = new LogReader(store, session)) {
            boolean more = true;
            while (more && remaining > 0) {
                var batch = log.read(store.messagesAfter(session, last, remaining));
                for (var found : batch.rows()) {
                    var row = message(tenant, session, found);
                    last = row.sequence();
                    remaining--;
                    if (!consumer.accept(row)) {
                        return;
                    }
                }
                more = !batch.isComplete();
            }
        }
    }

    private static ViewRow message(
            TenantId tenant, SessionId session, EventPageStore.NumberedEvent row) {
        var event = row.event();
        var turn = event.turn();
        long sequence = row.messageNo() == null ? 0 : row.messageNo();
        return new ViewRow(
                rowId(session, "message", sequence),
                session.value(),
                tenant.value(),
                event.type() == EventType.PROMPT ? "user" : "assistant",
                event.data(),
                sequence,
                Timestamps.iso(event.createdAt()),
                event.seq(),
                turn == null ? null : turn.value());
    }

    /**
     * Reads events with a greater sequence than {@code after}, at most {@code limit}, optionally of
     * one type. Returns the sequence of the last row that was read, including rows of other types.
     */
    public long events(
            TenantId tenant,
            SessionId session,
            long after,
            int limit,
            Optional<String> type,
            RowConsumer consumer)
            throws IOException, InterruptedException {
        var toolNames = new ToolNames();
        long last = after;
        int remaining = limit;
        try (var log = new LogReader(store, session)) {
            while (remaining > 0) {
                long begin = last;
                var batch = log.read(store.eventsAfter(session, last, BATCH));
                for (var found : batch.rows()) {
                    long sequence = found.eventNo() == null ? 0 : found.eventNo();
                    var event = found.event();
                    for (var derived : EventRows.of(event.type(), event.data(), toolNames)) {
                        if (sequence > last && remaining > 0) {
                            last = sequence;
                            if (type.isEmpty() || type.get().equals(derived.type())) {
                                remaining--;
                                if (!consumer.accept(
                                        event(tenant, session, event, derived, sequence))) {
                                    return last;
                                }
                            }
                        }
                        sequence++;
                    }
                    if (remaining > 0) {
                        last =
                                Math.max(
                                        last,
                                        lastNumber(found)); // also if it has no rows of this type
                    }
                }
                if (last == begin) {
                    break;
                }
            }
        }
        return last;
    }

    private static long lastNumber(EventPageStore.NumberedEvent row) {
        var event = row.event();
        return row.eventNo() == null
                ? 0
                : row.eventNo() + EventRows.count(event.type(), event.data()) - 1;
    }

    private static ViewRow event(
            TenantId tenant,
            SessionId session,
            LoggedEvent event,
            EventRows.Row derived,
            long sequence) {
        return new ViewRow(
                rowId(session, "event", sequence),
                session.value(),
                tenant.value(),
                derived.type(),
                derived.data(),
                sequence,
                Timestamps.iso(event.createdAt()),
                event.seq(),
                null);
    }

    /** Returns the same id for the same row on every read: rows of a view are not stored. */
    private static String rowId(SessionId session, String view, long sequence) {
        var name = session.value() + "/" + view + "/" + sequence;
        return UUID.nameUUIDFromBytes(name.getBytes(StandardCharsets.UTF_8)).toString();
    }
}

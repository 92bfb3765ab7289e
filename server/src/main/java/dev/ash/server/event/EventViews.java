package dev.ash.server.event;

import dev.ash.protocol.SessionId;
import dev.ash.protocol.TenantId;
import dev.ash.server.store.Timestamps;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Optional;
import java.util.UUID;

/**
 * {@code GET …/messages} and {@code GET …/events}: two ways to read the one log. Rows are handed
 * over one by one as they are read, so that a page of large rows is never in memory as a whole.
 */
public final class EventViews {
    private static final int BATCH = 500;

    private final EventStore store;

    public EventViews(EventStore store) {
        this.store = store;
    }

    /** Takes the rows of a page one by one. */
    public interface RowConsumer {
        /** Whether to go on; what the row holds must not be kept. */
        boolean accept(ViewRow row) throws IOException;
    }

    /** Rows of the conversation after this one, at most {@code limit}. */
    public void messages(TenantId tenant, SessionId session, long after, int limit, RowConsumer to)
            throws IOException, InterruptedException {
        long last = after;
        int left = limit;
        try (var log = new LogReader(store, session)) {
            boolean more = true;
            while (more && left > 0) {
                var batch = log.read(store.messagesAfter(session, last, left));
                for (var found : batch.rows()) {
                    var row = message(tenant, session, found);
                    last = row.sequence();
                    left--;
                    if (!to.accept(row)) {
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
     * Rows of what happened after this one, at most {@code limit}, of this type if one is named.
     * Returns the number of the last row that was looked at, taken or not.
     */
    public long events(
            TenantId tenant,
            SessionId session,
            long after,
            int limit,
            Optional<String> type,
            RowConsumer to)
            throws IOException, InterruptedException {
        var toolNames = new ToolNames();
        long last = after;
        int left = limit;
        try (var log = new LogReader(store, session)) {
            while (left > 0) {
                long begin = last;
                var batch = log.read(store.eventsAfter(session, last, BATCH));
                for (var found : batch.rows()) {
                    long sequence = found.eventNo() == null ? 0 : found.eventNo();
                    var event = found.event();
                    for (var derived : EventRows.of(event.type(), event.data(), toolNames)) {
                        if (sequence > last && left > 0) {
                            last = sequence;
                            if (type.isEmpty() || type.get().equals(derived.type())) {
                                left--;
                                if (!to.accept(event(tenant, session, event, derived, sequence))) {
                                    return last;
                                }
                            }
                        }
                        sequence++;
                    }
                    if (left > 0) {
                        last = Math.max(last, lastNumber(found)); // also where it has no such rows
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

    /** Rows of a view have no id of their own; this one is the same at every reading. */
    private static String rowId(SessionId session, String view, long sequence) {
        var name = session.value() + "/" + view + "/" + sequence;
        return UUID.nameUUIDFromBytes(name.getBytes(StandardCharsets.UTF_8)).toString();
    }
}

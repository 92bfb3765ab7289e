package dev.ash.server.event;

import dev.ash.protocol.SessionId;
import dev.ash.protocol.TenantId;
import dev.ash.protocol.rest.SessionApi;
import dev.ash.server.store.Timestamps;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Optional;
import java.util.UUID;

/** {@code GET …/messages} and {@code GET …/events}: two ways to read the one log. */
public final class EventViews {
    private static final int BATCH = 500;

    private final EventStore store;

    public EventViews(EventStore store) {
        this.store = store;
    }

    public List<SessionApi.Message> messages(
            TenantId tenant, SessionId session, long after, int limit) {
        return store.messagesAfter(session, after, limit).stream()
                .map(row -> message(tenant, session, row))
                .toList();
    }

    private static SessionApi.Message message(
            TenantId tenant, SessionId session, EventStore.Numbered row) {
        var event = row.event();
        var turn = event.turn();
        long sequence = row.messageNo() == null ? 0 : row.messageNo();
        return new SessionApi.Message(
                rowId(session, "message", sequence),
                session.value(),
                tenant.value(),
                event.type() == EventType.PROMPT ? "user" : "assistant",
                event.data().toString(),
                sequence,
                Timestamps.iso(event.createdAt()),
                event.seq(),
                turn == null ? null : turn.value());
    }

    public List<SessionApi.Event> events(
            TenantId tenant, SessionId session, long after, int limit, Optional<String> type) {
        return page(tenant, session, after, limit, type).events();
    }

    /** {@code last} is the number of the last row that was looked at, shown or not. */
    record Page(List<SessionApi.Event> events, long last) {}

    Page page(TenantId tenant, SessionId session, long after, int limit, Optional<String> type) {
        var found = new ArrayList<SessionApi.Event>();
        var toolNames = new HashMap<String, String>();
        long last = after;
        while (found.size() < limit) {
            var batch = store.eventsAfter(session, last, BATCH);
            long begin = last;
            for (var row : batch) {
                long sequence = row.eventNo() == null ? 0 : row.eventNo();
                var event = row.event();
                for (var derived : EventRows.of(event.type(), event.data(), toolNames)) {
                    if (sequence > last) {
                        last = sequence;
                        if (type.isEmpty() || type.get().equals(derived.type())) {
                            found.add(row(tenant, session, event, derived, sequence));
                        }
                    }
                    sequence++;
                }
            }
            if (last == begin) {
                break;
            }
        }
        return new Page(found.subList(0, Math.min(limit, found.size())), last);
    }

    private static SessionApi.Event row(
            TenantId tenant,
            SessionId session,
            LoggedEvent event,
            EventRows.Row derived,
            long sequence) {
        return new SessionApi.Event(
                rowId(session, "event", sequence),
                session.value(),
                tenant.value(),
                derived.type(),
                derived.data().toString(),
                sequence,
                Timestamps.iso(event.createdAt()),
                event.seq());
    }

    /** Rows of a view have no id of their own; this one is the same at every reading. */
    private static String rowId(SessionId session, String view, long sequence) {
        var name = session.value() + "/" + view + "/" + sequence;
        return UUID.nameUUIDFromBytes(name.getBytes(StandardCharsets.UTF_8)).toString();
    }
}

package dev.ash.server.session.recovery;

import dev.ash.protocol.SessionId;
import dev.ash.protocol.bridge.BridgeEvent;
import dev.ash.protocol.bridge.EventFrame;
import dev.ash.server.store.Database;
import dev.ash.server.store.RowMap;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/** Reads the state of a server from its database. */
final class StoredState {
    private final Database database;

    StoredState(Database database) {
        this.database = database;
    }

    /** A stored event. */
    record Event(
            String session,
            long seq,
            String turn,
            String type,
            String data,
            String bridge,
            long n) {}

    List<Map<String, Object>> rows(String sql) {
        return database.read(handle -> handle.createQuery(sql).map(RowMap::of).list());
    }

    List<Event> events() {
        return database.read(
                handle ->
                        handle.createQuery("SELECT * FROM events ORDER BY session_id, seq")
                                .map(
                                        row ->
                                                new Event(
                                                        row.getString("session_id"),
                                                        row.getLong("seq"),
                                                        String.valueOf(row.getString("turn_id")),
                                                        row.getString("type"),
                                                        new String(
                                                                row.getBytes("data"),
                                                                StandardCharsets.UTF_8),
                                                        String.valueOf(row.getString("bridge_id")),
                                                        row.getLong("n")))
                                .list());
    }

    private List<String> strings(String sql) {
        return database.read(handle -> handle.createQuery(sql).mapTo(String.class).list());
    }

    boolean isIdle() {
        return strings(
                                "SELECT id FROM turns WHERE status IN ('queued', 'running',"
                                        + " 'deferred', 'continued')")
                        .isEmpty()
                && pendingApprovals().isEmpty();
    }

    /** Whether the bridge is idle and all its events are stored. */
    boolean hasAllEventsOf(FakeBridge bridge) {
        if (!bridge.isIdle()) {
            return false;
        }
        long last =
                bridge.sent().stream()
                        .filter(frame -> frame.turnId() != null)
                        .filter(frame -> frame.event() instanceof BridgeEvent.Done)
                        .mapToLong(EventFrame::n)
                        .max()
                        .orElse(0);
        return last == 0
                || !rows("SELECT n FROM events WHERE bridge_id = '%s' AND n = %d"
                                .formatted(bridge.nonce(), last))
                        .isEmpty();
    }

    boolean wasSeenBy(CrashHistory history) {
        return history.sessions().stream()
                .allMatch(
                        session ->
                                strings(
                                                "SELECT max(seq) FROM events WHERE session_id = '"
                                                        + session.value()
                                                        + "'")
                                        .equals(List.of("" + history.lastSeenSeq(session))));
    }

    List<String> pendingApprovals() {
        return strings("SELECT id FROM approvals WHERE status = 'pending'");
    }

    List<SessionId> sessionsWithOpenTurns() {
        return strings(
                        "SELECT DISTINCT session_id FROM turns WHERE status IN ('queued', 'running',"
                                + " 'deferred', 'continued')")
                .stream()
                .map(SessionId::new)
                .toList();
    }

    /** Returns all data that a recovery could change, as text. */
    String state() {
        return rows("SELECT id, status, paused_by, error FROM sessions ORDER BY id")
                + "\n"
                + rows("SELECT id, status, place FROM turns ORDER BY id")
                + "\n"
                + rows(
                        "SELECT id, status, bridge_id, n, spent_at IS NULL free FROM approvals"
                                + " ORDER BY id")
                + "\n"
                + events().stream().map(Event::toString).collect(Collectors.joining("\n"));
    }

    String dump() {
        return state() + "\n" + rows("SELECT * FROM sandboxes");
    }
}

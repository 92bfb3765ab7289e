package dev.ash.server.device;

import dev.ash.protocol.SessionId;
import dev.ash.server.store.Database;
import dev.ash.server.store.Transaction;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;

/** The rows of cursors. */
public final class CursorStore {
    private static final String FIND =
            """
            SELECT seq
            FROM device_cursors
            WHERE device_id = :device
              AND session_id = :session
            """;

    private static final String ALL =
            """
            SELECT session_id, seq
            FROM device_cursors
            WHERE device_id = :device
            """;

    private static final String FOLLOWERS =
            """
            SELECT device_id
            FROM device_cursors
            WHERE session_id = :session
            """;

    private static final String DELETE =
            """
            DELETE FROM device_cursors
            WHERE device_id = :device
              AND session_id = :session
            """;

    private static final String ADVANCE =
            """
            INSERT INTO device_cursors (device_id, session_id, seq)
            SELECT id, :session, :seq
            FROM devices
            WHERE id = :device
              AND revoked_at IS NULL
              AND (
                EXISTS (SELECT 1 FROM sessions WHERE id = :session)
                OR EXISTS (SELECT 1 FROM hook_sessions WHERE id = :session)
              )
            ON CONFLICT (device_id, session_id) DO UPDATE SET seq = excluded.seq
            WHERE excluded.seq > device_cursors.seq
            """;

    private final Database database;

    public CursorStore(Database database) {
        this.database = database;
    }

    /** The last event that the device has confirmed; 0 for none. */
    long of(String device, SessionId session) {
        return database.read(
                handle ->
                        handle.createQuery(FIND)
                                .bind("device", device)
                                .bind("session", session.value())
                                .mapTo(Long.class)
                                .findOne()
                                .orElse(0L));
    }

    /** The sessions that a device follows, and how far it has come in each. */
    Map<SessionId, Long> all(String device) {
        var all = new HashMap<SessionId, Long>();
        database.read(
                        handle ->
                                handle.createQuery(ALL)
                                        .bind("device", device)
                                        .map(
                                                (rows, _) ->
                                                        Map.entry(
                                                                new SessionId(
                                                                        rows.getString(
                                                                                "session_id")),
                                                                rows.getLong("seq")))
                                        .list())
                .forEach(entry -> all.put(entry.getKey(), entry.getValue()));
        return all;
    }

    /** The devices that follow a session. */
    Set<String> followers(SessionId session) {
        return Set.copyOf(
                database.read(
                        handle ->
                                handle.createQuery(FOLLOWERS)
                                        .bind("session", session.value())
                                        .mapTo(String.class)
                                        .list()));
    }

    /** The device has seen all of a session that is over. */
    void forget(String device, SessionId session) {
        database.writer()
                .write(
                        transaction ->
                                transaction
                                        .handle()
                                        .createUpdate(DELETE)
                                        .bind("device", device)
                                        .bind("session", session.value())
                                        .execute());
    }

    /**
     * Never backwards. A device that was revoked meanwhile gets no new cursors, and a session that
     * was removed has none.
     */
    void advance(Map<DeviceCursors.Place, Long> confirmed) {
        database.writer()
                .write(
                        transaction -> {
                            int moved = 0;
                            for (var each : confirmed.entrySet()) {
                                moved += advance(transaction, each.getKey(), each.getValue());
                            }
                            return moved;
                        });
    }

    private static int advance(Transaction transaction, DeviceCursors.Place place, long seq) {
        return transaction
                .handle()
                .createUpdate(ADVANCE)
                .bind("device", place.device())
                .bind("session", place.session().value())
                .bind("seq", seq)
                .execute();
    }
}

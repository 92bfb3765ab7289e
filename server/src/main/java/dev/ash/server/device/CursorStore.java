package dev.ash.server.device;

import dev.ash.protocol.SessionId;
import dev.ash.server.store.Database;
import dev.ash.server.store.Transaction;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;

/** Stores how far each device has confirmed the log of each session that it follows. */
public final class CursorStore {
    private static final String FIND =
            """
            SELECT seq
            FROM device_cursors
            WHERE device_id = :device
              AND session_id = :session
            """;

    private static final String FIND_ALL =
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

    /** Returns the number of the last event that the device has confirmed; 0 for none. */
    long find(String device, SessionId session) {
        return database.read(
                handle ->
                        handle.createQuery(FIND)
                                .bind("device", device)
                                .bind("session", session.value())
                                .mapTo(Long.class)
                                .findOne()
                                .orElse(0L));
    }

    /** Returns the cursors of a device, one for each session that it follows. */
    Map<SessionId, Long> findAll(String device) {
        var all = new HashMap<SessionId, Long>();
        database.read(
                        handle ->
                                handle.createQuery(FIND_ALL)
                                        .bind("device", device)
                                        .map(
                                                rows ->
                                                        Map.entry(
                                                                new SessionId(
                                                                        rows.getString(
                                                                                "session_id")),
                                                                rows.getLong("seq")))
                                        .list())
                .forEach(entry -> all.put(entry.getKey(), entry.getValue()));
        return all;
    }

    /** Returns the devices that follow a session. */
    Set<String> followers(SessionId session) {
        return Set.copyOf(
                database.read(
                        handle ->
                                handle.createQuery(FOLLOWERS)
                                        .bind("session", session.value())
                                        .mapTo(String.class)
                                        .list()));
    }

    void delete(String device, SessionId session) {
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
     * Inserts or advances cursors; a lower number than the stored one is ignored. Ignores revoked
     * devices and removed sessions.
     */
    void advance(Map<DeviceCursors.CursorKey, Long> confirmed) {
        database.writer()
                .write(
                        transaction -> {
                            int changed = 0;
                            for (var each : confirmed.entrySet()) {
                                changed += advance(transaction, each.getKey(), each.getValue());
                            }
                            return changed;
                        });
    }

    private static int advance(Transaction transaction, DeviceCursors.CursorKey key, long seq) {
        return transaction
                .handle()
                .createUpdate(ADVANCE)
                .bind("device", key.device())
                .bind("session", key.session().value())
                .bind("seq", seq)
                .execute();
    }
}

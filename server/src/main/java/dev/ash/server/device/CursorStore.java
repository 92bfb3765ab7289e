package dev.ash.server.device;

import dev.ash.protocol.SessionId;
import dev.ash.server.store.Database;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;

/** How far each device has confirmed the log of each session; one device's word is its own. */
public final class CursorStore {
    private static final System.Logger LOG = System.getLogger("ash.device");

    private final Database database;

    public CursorStore(Database database) {
        this.database = database;
    }

    /** The last event that the device has confirmed; 0 for none. */
    public long of(String device, SessionId session) {
        return database.read(
                handle ->
                        handle.createQuery(
                                        "SELECT seq FROM device_cursors WHERE device_id = :device"
                                                + " AND session_id = :session")
                                .bind("device", device)
                                .bind("session", session.value())
                                .mapTo(Long.class)
                                .findOne()
                                .orElse(0L));
    }

    /** The sessions that a device follows, and how far it has come in each. */
    public Map<SessionId, Long> all(String device) {
        var all = new HashMap<SessionId, Long>();
        database.read(
                        handle ->
                                handle.createQuery(
                                                "SELECT session_id, seq FROM device_cursors WHERE"
                                                        + " device_id = :device")
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
    public Set<String> followers(SessionId session) {
        return Set.copyOf(
                database.read(
                        handle ->
                                handle.createQuery(
                                                "SELECT device_id FROM device_cursors WHERE"
                                                        + " session_id = :session")
                                        .bind("session", session.value())
                                        .mapTo(String.class)
                                        .list()));
    }

    /** The device has seen all of a session that is over. */
    public void forget(String device, SessionId session) {
        database.writer()
                .write(
                        transaction ->
                                transaction
                                        .handle()
                                        .createUpdate(
                                                "DELETE FROM device_cursors WHERE device_id ="
                                                        + " :device AND session_id = :session")
                                        .bind("device", device)
                                        .bind("session", session.value())
                                        .execute());
    }

    /** Never backwards; returns at once, since what is not kept is only told once more. */
    public void advance(String device, Map<SessionId, Long> confirmed) {
        database.writer()
                .submit(
                        transaction -> {
                            for (var each : confirmed.entrySet()) {
                                transaction
                                        .handle()
                                        .createUpdate(
                                                "INSERT INTO device_cursors (device_id, session_id,"
                                                        + " seq) VALUES (:device, :session, :seq) ON"
                                                        + " CONFLICT (device_id, session_id) DO"
                                                        + " UPDATE SET seq = excluded.seq WHERE"
                                                        + " excluded.seq > device_cursors.seq")
                                        .bind("device", device)
                                        .bind("session", each.getKey().value())
                                        .bind("seq", each.getValue())
                                        .execute();
                            }
                        },
                        () -> {},
                        why ->
                                LOG.log(
                                        System.Logger.Level.WARNING,
                                        "what a device has seen was not kept",
                                        why));
    }
}

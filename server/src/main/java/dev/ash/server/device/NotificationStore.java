package dev.ash.server.device;

import dev.ash.protocol.SessionId;
import dev.ash.protocol.json.RawJson;
import dev.ash.server.store.Database;
import dev.ash.server.store.Transaction;
import java.time.Clock;
import java.time.Duration;
import java.util.Collection;
import java.util.List;

/**
 * Stores notifications until devices acknowledge them. A new notification replaces an older one
 * about the same subject; the number for each device and the age are limited.
 */
public final class NotificationStore {
    static final int MAX_PER_DEVICE = 100;
    static final Duration RETENTION = Duration.ofDays(7);

    private static final String DELETE_SUBJECT_OF_DEVICE =
            """
            DELETE FROM notifications
            WHERE device_id = :device
              AND subject = :subject
            """;

    private static final String INSERT =
            """
            INSERT INTO notifications (device_id, id, session_id, subject, data, created_at)
            SELECT :device, :id, :session, :subject, :data, :now
            WHERE EXISTS (SELECT 1 FROM sessions WHERE id = :session)
               OR EXISTS (SELECT 1 FROM hook_sessions WHERE id = :session)
            """;

    private static final String TRIM =
            """
            DELETE FROM notifications
            WHERE device_id = :device
              AND (
                created_at < :old
                OR id NOT IN (
                  SELECT id
                  FROM notifications
                  WHERE device_id = :device
                  ORDER BY created_at DESC, id
                  LIMIT :most
                )
              )
            """;

    private static final String LIST =
            """
            SELECT *
            FROM notifications
            WHERE device_id = :device
              AND created_at >= :old
              AND session_id NOT IN (SELECT session_id FROM purges)
            ORDER BY created_at, id
            """;

    private static final String DELETE =
            """
            DELETE FROM notifications
            WHERE device_id = :device
              AND id = :id
            """;

    private static final String DELETE_SUBJECT =
            """
            DELETE FROM notifications
            WHERE subject = :subject
            """;

    private final Database database;
    private final Clock clock;

    public NotificationStore(Database database, Clock clock) {
        this.database = database;
        this.clock = clock;
    }

    /** A stored notification; {@code payload} is the payload of its frame. */
    public record Notification(String id, SessionId session, String subject, RawJson payload) {}

    /** Stores a notification for these devices, unless its session was removed. */
    public void save(Collection<String> devices, Notification notification) {
        long now = clock.millis();
        database.writer()
                .write(
                        transaction -> {
                            for (var device : devices) {
                                remove(transaction, device, notification.subject());
                                insert(transaction, device, notification, now);
                                trim(transaction, device, now);
                            }
                            return true;
                        });
    }

    private static void remove(Transaction transaction, String device, String subject) {
        transaction
                .handle()
                .createUpdate(DELETE_SUBJECT_OF_DEVICE)
                .bind("device", device)
                .bind("subject", subject)
                .execute();
    }

    private static void insert(
            Transaction transaction, String device, Notification notification, long now) {
        transaction
                .handle()
                .createUpdate(INSERT)
                .bind("device", device)
                .bind("id", notification.id())
                .bind("session", notification.session().value())
                .bind("subject", notification.subject())
                .bind("data", notification.payload().toBytes())
                .bind("now", now)
                .execute();
    }

    private static void trim(Transaction transaction, String device, long now) {
        transaction
                .handle()
                .createUpdate(TRIM)
                .bind("device", device)
                .bind("old", now - RETENTION.toMillis())
                .bind("most", MAX_PER_DEVICE)
                .execute();
    }

    /** Returns the notifications of a device, oldest first. */
    public List<Notification> list(String device) {
        return database.read(
                handle ->
                        handle.createQuery(LIST)
                                .bind("device", device)
                                .bind("old", clock.millis() - RETENTION.toMillis())
                                .map(
                                        rows ->
                                                new Notification(
                                                        rows.getString("id"),
                                                        new SessionId(rows.getString("session_id")),
                                                        rows.getString("subject"),
                                                        new RawJson(rows.getBytes("data"))))
                                .list());
    }

    /** Deletes notifications of this device only. */
    public void acknowledge(String device, Collection<String> ids) {
        database.writer()
                .write(
                        transaction -> {
                            int removed = 0;
                            for (var id : ids) {
                                removed +=
                                        transaction
                                                .handle()
                                                .createUpdate(DELETE)
                                                .bind("device", device)
                                                .bind("id", id)
                                                .execute();
                            }
                            return removed;
                        });
    }

    /** Deletes the notifications about a subject for all devices. */
    public void withdraw(String subject) {
        database.writer()
                .write(
                        transaction ->
                                transaction
                                        .handle()
                                        .createUpdate(DELETE_SUBJECT)
                                        .bind("subject", subject)
                                        .execute());
    }
}

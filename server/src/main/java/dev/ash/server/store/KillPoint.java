package dev.ash.server.store;

import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * Points between two steps at which the crash tests kill the server, to check that nothing is lost
 * or done twice. In production a point costs one field read. {@code -Dash.killAt=PROMPT_SENT:2}
 * halts the server when it reaches this point for the second time.
 */
public enum KillPoint {
    /** Within a migration, after one of its statements. */
    MIGRATION_STATEMENT,
    /** The statements of a group of units have run and are not committed. */
    WRITE_BEGUN,
    /** Committed, and no listener has been notified. */
    WRITE_COMMITTED,
    /** Published to subscribers. */
    EVENT_PUBLISHED,
    EVENT_READ,
    EVENT_ACKED,
    SESSION_REGISTERED,
    SANDBOX_OPENED,
    SANDBOX_CONFIGURED,
    PROMPT_COMMITTED,
    PROMPT_SENT,
    PROMPT_QUEUED,
    QUEUED_PROMPT_BEGUN,
    APPROVAL_DECIDED,
    APPROVAL_SPENT,
    APPROVAL_SENT,
    LAID_ASIDE,
    RESTED,
    TURN_CONTINUED,
    BRIDGE_ADOPTED,
    SESSION_RECOVERED,
    FORK_LOGGED,
    FORK_COPIED,
    /** The key file holds the new sealing key besides the old one. */
    SECRET_KEY_ADDED,
    /** Some values are sealed with the new key, others with the old one. */
    SECRET_BATCH_RESEALED,
    /** All values are sealed with the new key. */
    SECRET_RESEALED,
    /** The database files no longer contain values that were sealed with the old key. */
    SECRET_FILES_CLEANED,
    /** The key file holds only the new sealing key. */
    SECRET_KEY_DROPPED;

    /** The action at a kill point. */
    public interface Probe {
        void reached(KillPoint point);
    }

    private static volatile @Nullable Probe probe = fromProperty(System.getProperty("ash.killAt"));

    public void reached() {
        var present = probe;
        if (present != null) {
            present.reached(this);
        }
    }

    /** Replaces the action, for tests; null removes it. */
    public static void probe(@Nullable Probe other) {
        probe = other;
    }

    private static @Nullable Probe fromProperty(@Nullable String setting) {
        if (setting == null) {
            return null;
        }
        var parts = setting.split(":", 2);
        var target = valueOf(parts[0]);
        var remaining = new AtomicInteger(parts.length == 1 ? 1 : Integer.parseInt(parts[1]));
        return point -> {
            if (point == target && remaining.decrementAndGet() == 0) {
                Runtime.getRuntime().halt(137);
            }
        };
    }
}

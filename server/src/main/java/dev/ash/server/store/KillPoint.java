package dev.ash.server.store;

import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * Moments between two steps, at which a server may be killed and nothing may be lost or done twice.
 * In service they cost one read of a field. The crash suite starts a server with {@code
 * -Dash.killAt=PROMPT_SENT:2}, which ends it without a word the second time that it comes there.
 */
public enum KillPoint {
    /** Within a migration, after one of its statements. */
    MIGRATION_STATEMENT,
    /** The statements of a group of units are done, and not committed. */
    WRITE_BEGUN,
    /** Committed, and nobody was told. */
    WRITE_COMMITTED,
    /** Shown to whoever watches. */
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

    /** What happens at them. */
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

    /** For a test that kills in another way; null ends it. */
    public static void probe(@Nullable Probe other) {
        probe = other;
    }

    private static @Nullable Probe fromProperty(@Nullable String wish) {
        if (wish == null) {
            return null;
        }
        var parts = wish.split(":", 2);
        var wanted = valueOf(parts[0]);
        var left = new AtomicInteger(parts.length == 1 ? 1 : Integer.parseInt(parts[1]));
        return point -> {
            if (point == wanted && left.decrementAndGet() == 0) {
                Runtime.getRuntime().halt(137);
            }
        };
    }
}

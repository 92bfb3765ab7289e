package dev.ash.server.session.store;

import static dev.ash.protocol.SessionStatus.ACTIVE;
import static dev.ash.protocol.SessionStatus.ENDED;
import static dev.ash.protocol.SessionStatus.ERROR;
import static dev.ash.protocol.SessionStatus.PAUSED;
import static dev.ash.protocol.SessionStatus.STARTING;
import static dev.ash.protocol.SessionStatus.STOPPED;

import dev.ash.protocol.SessionStatus;
import dev.ash.server.session.store.SessionRow.PausedBy;
import java.util.EnumSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A change of a session's stored status, with the permitted previous statuses. {@link
 * SessionStatusStore} applies it only to a session that still has one of them.
 *
 * <pre>
 * from       to
 * starting   active  paused  stopped  error  ended
 * active     active  paused  stopped  error  ended
 * paused     active          stopped  error  ended
 * stopped    active                   error  ended
 * error      starting  active  stopped  error  ended
 * ended      (final)
 * </pre>
 *
 * <p>A session that wakes changes from {@code active} to {@code active}: sleeping is no status.
 *
 * @param error the reason of an {@code error}
 */
public record StatusChange(
        Set<SessionStatus> from,
        SessionStatus to,
        @Nullable PausedBy pausedBy,
        @Nullable String error) {

    public StatusChange {
        from = Set.copyOf(from);
        for (var status : from) {
            if (!successors(status).contains(to)) {
                throw new IllegalStateException(
                        "A session cannot change from %s to %s".formatted(status, to));
            }
        }
    }

    private static Set<SessionStatus> successors(SessionStatus status) {
        return switch (status) {
            case STARTING, ACTIVE -> EnumSet.of(ACTIVE, PAUSED, STOPPED, ERROR, ENDED);
            case PAUSED -> EnumSet.of(ACTIVE, STOPPED, ERROR, ENDED);
            case STOPPED -> EnumSet.of(ACTIVE, ERROR, ENDED);
            case ERROR -> EnumSet.of(STARTING, ACTIVE, STOPPED, ERROR, ENDED);
            case ENDED -> EnumSet.noneOf(SessionStatus.class);
        };
    }

    private static StatusChange of(SessionStatus to, SessionStatus first, SessionStatus... more) {
        return new StatusChange(EnumSet.of(first, more), to, null, null);
    }

    /**
     * The sandbox is ready. {@code from} is the status before the start; a retry is {@code
     * starting} meanwhile.
     */
    public static StatusChange started(SessionStatus from) {
        return of(ACTIVE, STARTING, from);
    }

    /**
     * The session is resumed with its existing sandbox. A stopped session has one if the server was
     * killed while stopping it.
     */
    public static StatusChange resumed() {
        return of(ACTIVE, PAUSED, STOPPED, ERROR);
    }

    /** A session whose creation failed is started again. */
    public static StatusChange retried() {
        return of(STARTING, ERROR);
    }

    public static StatusChange pausedByClient() {
        return new StatusChange(Set.of(ACTIVE), PAUSED, PausedBy.CLIENT, null);
    }

    /** The server shuts down; the next message wakes the session. */
    public static StatusChange pausedByServer() {
        return new StatusChange(Set.of(ACTIVE), PAUSED, PausedBy.SERVER, null);
    }

    /** A copy of a session is complete; its first message wakes it. */
    public static StatusChange copied() {
        return new StatusChange(Set.of(STARTING), PAUSED, PausedBy.SERVER, null);
    }

    public static StatusChange stopped() {
        var from = Set.of(STARTING, ACTIVE, PAUSED, ERROR);
        return new StatusChange(from, STOPPED, PausedBy.CLIENT, null);
    }

    public static StatusChange failed(String error) {
        var from = Set.of(STARTING, ACTIVE, PAUSED, STOPPED, ERROR);
        return new StatusChange(from, ERROR, null, error);
    }

    /** The sandbox has exited; this does not affect a session that a client has paused. */
    public static StatusChange sandboxLost(String error) {
        return new StatusChange(Set.of(STARTING, ACTIVE, ERROR), ERROR, null, error);
    }

    public static StatusChange ended() {
        return of(ENDED, STARTING, ACTIVE, PAUSED, STOPPED, ERROR);
    }
}

package dev.ash.server.session;

import dev.ash.protocol.ApiException;
import dev.ash.protocol.ErrorCode;
import dev.ash.protocol.TurnId;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The turns of one session that have no {@code done} yet. Clients get one at a time; the engine may
 * have begun one of its own in the same moment. Also knows to whom an event belongs whose bridge
 * does not say. Guarded by itself.
 */
final class OpenTurns {
    private final Set<TurnId> open = new LinkedHashSet<>();
    private @Nullable TurnId latest;
    private boolean mayGetLateDone;

    synchronized void openForClient(TurnId turn) {
        if (!open.isEmpty()) {
            throw new ApiException(
                    ErrorCode.SESSION_BUSY,
                    "The session is busy with a turn; wait for its done, or interrupt it");
        }
        add(turn);
    }

    /** Returns whether it was new. */
    synchronized boolean openForEngine(TurnId turn) {
        return !open.contains(turn) && add(turn);
    }

    private boolean add(TurnId turn) {
        latest = turn;
        return open.add(turn);
    }

    /** The turn that an event belongs to: the one it names, else the latest open one. */
    synchronized Optional<TurnId> of(@Nullable String named) {
        if (named == null) {
            return Optional.ofNullable(latest).filter(open::contains);
        }
        return open.stream().filter(turn -> turn.value().equals(named)).findFirst();
    }

    synchronized void sawMessage() {
        mayGetLateDone = false;
    }

    /**
     * Closes the turn that an unnumbered {@code done} is for. A bridge of the plain protocol may
     * end a turn by {@code error} alone or by {@code error} and {@code done}; we end it at the
     * error, so that a {@code done} right after it is for no turn.
     */
    synchronized Optional<TurnId> close(@Nullable String named) {
        if (named == null && mayGetLateDone) {
            mayGetLateDone = false;
            return Optional.empty();
        }
        var turn = of(named);
        turn.ifPresent(open::remove);
        return turn;
    }

    synchronized Optional<TurnId> closeByError() {
        var turn = of(null);
        turn.ifPresent(open::remove);
        mayGetLateDone = true;
        return turn;
    }

    synchronized boolean close(TurnId turn) {
        return open.remove(turn);
    }

    synchronized boolean isEmpty() {
        return open.isEmpty();
    }

    synchronized List<TurnId> closeAll() {
        var all = List.copyOf(open);
        open.clear();
        return all;
    }
}

package dev.ash.server.session.live;

import dev.ash.protocol.ApiException;
import dev.ash.protocol.ErrorCode;
import dev.ash.protocol.TurnId;
import java.util.ArrayDeque;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The turns of one session that have no {@code done} yet, and the prompts that wait for their turn.
 * Clients get one turn at a time; the engine may have begun one of its own in the same moment. Also
 * knows to whom an event belongs whose bridge does not say. Guarded by itself.
 */
public final class OpenTurns {
    public static final int MAX_QUEUED = 100;

    /** More than the published app keeps while it is offline and sends after a reconnect. */
    public static final int MAX_QUEUED_BY_DEVICES = 1200;

    private final Set<TurnId> open = new LinkedHashSet<>();
    private final ArrayDeque<TurnId> queue = new ArrayDeque<>();
    private @Nullable TurnId latest;
    private boolean ignoresNextDone;

    /** False if another turn is running or about to. */
    synchronized boolean openForClient(TurnId turn) {
        return open.isEmpty() && queue.isEmpty() && add(turn);
    }

    public static ApiException busy() {
        return new ApiException(
                ErrorCode.SESSION_BUSY,
                "The session is busy with a turn; wait for its done, interrupt it, or send the"
                        + " message with \"whenBusy\": \"queue\"");
    }

    synchronized void requireRoom(int maxQueued) {
        if (queue.size() >= maxQueued) {
            throw new ApiException(
                    ErrorCode.RATE_LIMITED,
                    "%d messages wait for their turn already; send this one later"
                            .formatted(queue.size()));
        }
    }

    /** Its prompt is stored, and read again when its turn comes: many may wait. */
    synchronized void enqueue(TurnId queued) {
        queue.addLast(queued);
    }

    /** Opens the turn of the prompt that has waited longest, if none is open. */
    synchronized Optional<TurnId> next() {
        if (!open.isEmpty() || queue.isEmpty()) {
            return Optional.empty();
        }
        var next = queue.removeFirst();
        add(next);
        return Optional.of(next);
    }

    /** Takes up a turn that an earlier server opened, or returns whether the engine's is new. */
    synchronized boolean reopen(TurnId turn) {
        return !open.contains(turn) && add(turn);
    }

    private boolean add(TurnId turn) {
        latest = turn;
        return open.add(turn);
    }

    /** The turn that an event belongs to: the one it names, else the latest open one. */
    synchronized Optional<TurnId> find(@Nullable String named) {
        if (named == null) {
            return Optional.ofNullable(latest).filter(open::contains);
        }
        return open.stream().filter(turn -> turn.value().equals(named)).findFirst();
    }

    synchronized void onMessage() {
        ignoresNextDone = false;
    }

    /**
     * Closes the turn that an unnumbered {@code done} is for. A bridge of the plain protocol may
     * end a turn by {@code error} alone or by {@code error} and {@code done}; we end it at the
     * error, so that a {@code done} right after it is for no turn.
     */
    synchronized Optional<TurnId> close(@Nullable String named) {
        if (named == null && ignoresNextDone) {
            ignoresNextDone = false;
            return Optional.empty();
        }
        var turn = find(named);
        turn.ifPresent(open::remove);
        return turn;
    }

    synchronized Optional<TurnId> closeByError() {
        var turn = find(null);
        turn.ifPresent(open::remove);
        ignoresNextDone = true;
        return turn;
    }

    synchronized boolean close(TurnId turn) {
        return open.remove(turn);
    }

    /** Whether nothing runs and nothing waits. */
    synchronized boolean isEmpty() {
        return open.isEmpty() && queue.isEmpty();
    }

    public synchronized List<TurnId> open() {
        return List.copyOf(open);
    }

    synchronized List<TurnId> queued() {
        return List.copyOf(queue);
    }

    synchronized void clear() {
        open.clear();
        queue.clear();
    }
}

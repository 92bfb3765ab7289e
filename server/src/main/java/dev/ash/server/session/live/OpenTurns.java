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
 * The open turns of one session, which have no {@code done} yet, and its queued prompts. Clients
 * have one open turn at a time; the engine may start one of its own concurrently. Also attributes
 * events that name no turn. Guarded by its own lock.
 */
public final class OpenTurns {
    public static final int MAX_QUEUED = 100;

    /** More than the published app queues while it is offline and sends after a reconnect. */
    public static final int MAX_QUEUED_BY_DEVICES = 1200;

    private final Set<TurnId> open = new LinkedHashSet<>();
    private final ArrayDeque<TurnId> queue = new ArrayDeque<>();
    private @Nullable TurnId latest;
    private boolean ignoresNextDone;

    /** Returns false if another turn is open or queued. */
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
                    "%d messages are already queued; send this one later".formatted(queue.size()));
        }
    }

    /** Queues only the id: the prompt is read from the store when its turn starts. */
    synchronized void enqueue(TurnId queued) {
        queue.addLast(queued);
    }

    /** Opens the oldest queued turn, if none is open. */
    synchronized Optional<TurnId> next() {
        if (!open.isEmpty() || queue.isEmpty()) {
            return Optional.empty();
        }
        var next = queue.removeFirst();
        add(next);
        return Optional.of(next);
    }

    /** Opens a turn of an earlier server or of the engine; returns false if it is open already. */
    synchronized boolean reopen(TurnId turn) {
        return !open.contains(turn) && add(turn);
    }

    private boolean add(TurnId turn) {
        latest = turn;
        return open.add(turn);
    }

    /** Returns the turn of an event: the one it names, else the latest open one. */
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
     * Closes the turn of a {@code done}. A bridge of the plain protocol may end a turn with {@code
     * error}, or with {@code error} and {@code done}. The turn ends with the error, so a {@code
     * done} right after it is ignored.
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

    /** Whether no turn is open or queued. */
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

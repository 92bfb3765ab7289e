package dev.ash.server.session.live;

import dev.ash.protocol.ApiException;
import dev.ash.protocol.ErrorCode;
import dev.ash.protocol.SessionId;
import dev.ash.protocol.SessionStatus;
import dev.ash.protocol.TurnId;
import dev.ash.server.event.Commit;
import dev.ash.server.event.LoggedEvent;
import dev.ash.server.event.NewEvent;
import dev.ash.server.session.store.StatusChange;
import dev.ash.server.session.store.TurnStore;
import dev.ash.server.store.Transaction;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Logs the end of a live session. If the log cannot be written, publishes the end of open turns to
 * their subscribers unlogged, and retries to log it. Until then the session must not continue: its
 * last turn would seem to be running.
 */
public final class SessionEnd {
    private static final System.Logger LOG = System.getLogger("ash.session");
    private static final Duration RETRY_INTERVAL = Duration.ofSeconds(1);

    private final SessionCore core;
    private final SessionId session;
    private @Nullable End pending; // guarded by this

    /**
     * The end of a session.
     *
     * @param change the change of its status, if any
     * @param reason the error of turns that end with it
     */
    public record End(Optional<StatusChange> change, String reason, List<NewEvent> lifecycle) {
        public static End of(StatusChange change, String reason) {
            return new End(Optional.of(change), reason, List.of());
        }

        private boolean isTo(SessionStatus status) {
            return change.map(to -> to.to() == status).orElse(false);
        }

        /** Whether the session cannot be resumed after it. */
        boolean isFinal() {
            return isTo(SessionStatus.ENDED);
        }

        /** Queued prompts and deferred turns end only with a session that was stopped or ended. */
        boolean endsAllTurns() {
            return isTo(SessionStatus.STOPPED) || isTo(SessionStatus.ENDED);
        }
    }

    SessionEnd(SessionCore core, SessionId session) {
        this.core = core;
        this.session = session;
    }

    /** Sets the end that is to be logged, before the sandbox is closed. */
    synchronized void setPending(End end) {
        pending = end;
    }

    /** Logs the pending end, if any; throws if that fails. */
    synchronized void logPending() {
        var end = pending;
        if (end != null) {
            log(core, session, end);
            pending = null;
        }
    }

    /** Logs the pending end; retries in the background if that fails. */
    void logPendingOrRetry() {
        try {
            logPending();
        } catch (ApiException e) {
            LOG.log(System.Logger.Level.ERROR, "cannot log the end of session " + session, e);
            publishUnlogged();
            Thread.ofVirtual().start(this::retry);
        }
    }

    private synchronized void publishUnlogged() {
        var end = pending;
        if (end != null) {
            for (var turn : endingTurns(core.turns().open(session), end)) {
                publishUnlogged(NewEvent.error(session, turn, end.reason()));
                publishUnlogged(NewEvent.done(session, turn));
            }
        }
    }

    private void publishUnlogged(NewEvent event) {
        var unlogged = new LoggedEvent(0, event.turn(), event.type(), event.data(), 0);
        core.events().publishTransient(session, unlogged, () -> {});
    }

    private void retry() {
        try {
            while (true) {
                Thread.sleep(RETRY_INTERVAL);
                try {
                    logPending();
                    return;
                } catch (ApiException e) {
                    if (e.code() == ErrorCode.SHUTTING_DOWN) {
                        return; // the next server recovers the open turn
                    }
                }
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private static List<TurnId> endingTurns(List<TurnStore.OpenTurn> open, End end) {
        return open.stream()
                .filter(turn -> end.endsAllTurns() || turn.status().hasEngine())
                .map(TurnStore.OpenTurn::id)
                .toList();
    }

    /**
     * Ends the open turns and changes the status. The transaction finds the open turns itself: the
     * events that were submitted before it determine them.
     */
    public static void log(SessionCore core, SessionId session, End end) {
        log(
                core,
                session,
                transaction -> endingTurns(core.turns().open(transaction, session), end),
                end);
    }

    /** Ends turns that no bridge will end, and changes the status, in one transaction. */
    public static void log(SessionCore core, SessionId session, List<TurnId> turns, End end) {
        log(core, session, _ -> turns, end);
    }

    private static void log(
            SessionCore core,
            SessionId session,
            Function<Transaction, List<TurnId>> ending,
            End end) {
        core.events()
                .commit(
                        session,
                        (transaction, now) -> {
                            var turns = ending.apply(transaction);
                            var events = new ArrayList<NewEvent>();
                            turns.forEach(
                                    turn ->
                                            core.turns()
                                                    .markEnded(
                                                            transaction,
                                                            turn,
                                                            TurnStore.Status.ERROR,
                                                            now));
                            if (end.isTo(SessionStatus.ENDED)) {
                                events.addAll(
                                        core.approvals().cancelOpen(transaction, session, now));
                            }
                            for (var turn : turns) {
                                events.add(NewEvent.error(session, turn, end.reason()));
                                events.add(NewEvent.done(session, turn));
                            }
                            events.addAll(end.lifecycle());
                            end.change()
                                    .ifPresent(
                                            change ->
                                                    core.statuses()
                                                            .change(
                                                                    transaction,
                                                                    session,
                                                                    change,
                                                                    now));
                            return Commit.of(events);
                        });
    }
}

package dev.ash.server.hooks;

import dev.ash.protocol.ApiException;
import dev.ash.protocol.ErrorCode;
import dev.ash.protocol.SessionId;
import dev.ash.protocol.TenantId;
import dev.ash.protocol.json.JsonWriter;
import dev.ash.server.approval.Approvals;
import dev.ash.server.approval.Asker;
import dev.ash.server.approval.AskerSource;
import dev.ash.server.event.Commit;
import dev.ash.server.event.EventType;
import dev.ash.server.event.NewEvent;
import dev.ash.server.event.SessionEvents;
import dev.ash.server.store.Database;
import dev.ash.server.store.Transaction;
import java.time.Clock;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;

/**
 * Manages terminal sessions. Each has an event log, in which every hook event is recorded, and its
 * questions are approvals.
 */
public final class Hooks implements AskerSource, AutoCloseable {
    /** The lifecycle event of a session that was ended for silence. */
    public static final String TIMED_OUT = "timed_out";

    private static final int MAX_ENDED_PER_RUN = 100;

    private final HookSessionStore store;
    private final SessionEvents events;
    private final Approvals approvals;
    private final Clock clock;
    private final Duration silence;
    private final HookQuestions questions;
    private final TerminalCalls calls = new TerminalCalls();
    private final List<Consumer<HookSession>> listeners = new CopyOnWriteArrayList<>();

    public Hooks(
            Database database,
            SessionEvents events,
            Approvals approvals,
            Clock clock,
            HookTimeouts timeouts) {
        this.store = new HookSessionStore(database);
        this.events = events;
        this.approvals = approvals;
        this.clock = clock;
        this.silence = timeouts.silence();
        this.questions = new HookQuestions(approvals, timeouts.answer());
    }

    /** Cancels questions of an earlier server; their terminals have prompted locally since. */
    public void recover() {
        store.withStaleQuestions().forEach(this::cancelQuestions);
    }

    private void cancelQuestions(SessionId session) {
        events.commit(
                session,
                (transaction, now) -> Commit.of(approvals.cancelOpen(transaction, session, now)));
    }

    /**
     * Ends sessions without recent events: a terminal that is killed reports no end. The next event
     * of a terminal that is still running makes its session active again.
     */
    public void endSilent() {
        if (silence.isZero()) {
            return;
        }
        long since = clock.millis() - silence.toMillis();
        store.silent(since, MAX_ENDED_PER_RUN).forEach(session -> endSilent(session, since));
    }

    private void endSilent(SessionId id, long since) {
        if (questions.askerOf(id).isPresent()) {
            return; // waits for an answer with an open connection
        }
        var ended =
                events.commit(
                                id,
                                (transaction, _) ->
                                        store.find(transaction, id)
                                                .filter(HookSession::isActive)
                                                .filter(session -> session.seenAt() < since)
                                                .map(session -> end(transaction, session))
                                                .orElseGet(
                                                        () ->
                                                                new Commit<>(
                                                                        List.of(),
                                                                        Optional.empty())))
                        .value();
        calls.remove(id);
        ended.ifPresent(session -> listeners.forEach(listener -> listener.accept(session)));
    }

    private Commit<Optional<HookSession>> end(Transaction transaction, HookSession silent) {
        var ended = silent.ended();
        store.put(transaction, ended);
        var event = NewEvent.lifecycle(silent.id(), TIMED_OUT, JsonWriter.object());
        return new Commit<>(List.of(event), Optional.of(ended));
    }

    /**
     * Adds a listener, which is notified when a session is created, gets a title, or changes
     * between active and ended. Runs on the thread of the hook's request, so it must not block for
     * long.
     */
    public void onChange(Consumer<HookSession> listener) {
        listeners.add(listener);
    }

    public List<HookSession> list(TenantId tenant, int limit) {
        return store.list(tenant, limit);
    }

    /** Returns the tenant of a terminal session; empty if no hook has reported it. */
    public Optional<TenantId> tenant(SessionId id) {
        return store.find(id).map(HookSession::tenant);
    }

    public Optional<HookSession> find(TenantId tenant, SessionId id) {
        return store.find(id).filter(session -> session.tenant().equals(tenant));
    }

    /** Returns the session of this tenant with this name or id. */
    public Optional<HookSession> findByName(TenantId tenant, String name) {
        if (!HookEvent.isName(name)) {
            return Optional.empty();
        }
        var id = HookEvent.id(name);
        var found = find(tenant, id);
        return found.isPresent() ? found : find(tenant, HookEvent.id(tenant, id));
    }

    /**
     * Returns the event with a session id of this tenant. Terminals choose the ids of their
     * sessions, so an id may belong to another tenant: the event then gets a separate session, and
     * the caller does not learn about the other one.
     */
    HookEvent resolveSession(TenantId tenant, HookEvent event) {
        var terminal = store.find(event.session());
        var owner = terminal.map(HookSession::tenant).or(() -> store.owner(event.session()));
        if (owner.isEmpty()) {
            return event;
        }
        if (!owner.get().equals(tenant)) {
            return event.withIdOfTenant(tenant);
        }
        if (terminal.isEmpty()) {
            throw new ApiException(
                    ErrorCode.FORBIDDEN,
                    "session_id is the id of a session managed by Ash; hooks can report only terminal sessions");
        }
        return event;
    }

    /** The session after an event, and the event's sequence number; 0 if it is not logged. */
    record Recorded(HookSession session, long seq) {}

    /**
     * Records an event. Does not log it if {@code isQuestion}: another hook reports the same event.
     */
    Recorded record(TenantId tenant, HookEvent event, boolean isQuestion) {
        var report = NewEvent.of(event.session(), null, EventType.HOOK, event.body(), null);
        var logged = isQuestion ? List.<NewEvent>of() : List.of(report);
        var result =
                events.commit(
                        event.session(),
                        (transaction, now) ->
                                new Commit<>(logged, update(transaction, tenant, event, now)));
        closeAnsweredQuestions(event);
        calls.update(event);
        var update = result.value();
        notifyListeners(update.before(), update.after());
        long seq = result.events().isEmpty() ? 0 : result.events().getFirst().seq();
        return new Recorded(update.after(), seq);
    }

    /** A session before and after an event. */
    private record Update(Optional<HookSession> before, HookSession after) {}

    private Update update(Transaction transaction, TenantId tenant, HookEvent event, long now) {
        var before = store.find(transaction, event.session());
        var after =
                before.map(session -> session.apply(event, now))
                        .orElseGet(() -> HookSession.of(event, tenant, now));
        store.put(transaction, after);
        return new Update(before, after);
    }

    /** Closes questions that, according to the event, were answered in the terminal or are moot. */
    private void closeAnsweredQuestions(HookEvent event) {
        if (event.is("PostToolUse", "PostToolUseFailure")) {
            questions.closeMatching(event.session(), event::isSameCall);
        } else if (event.is("Stop", "StopFailure", "SessionEnd")) {
            questions.closeMatching(event.session(), _ -> true);
        }
    }

    private void notifyListeners(Optional<HookSession> before, HookSession after) {
        boolean isChanged =
                before.isEmpty()
                        || before.get().isActive() != after.isActive()
                        || !before.get().title().equals(after.title());
        if (isChanged) {
            listeners.forEach(listener -> listener.accept(after));
        }
    }

    Optional<HookQuestions.Question> ask(HookSession session, HookEvent event) {
        return questions.ask(session, event, calls.callIdOf(event));
    }

    @Override
    public Optional<Asker> find(SessionId session, String askerId) {
        return questions.askerOf(session).filter(asker -> asker.bridgeId().equals(askerId));
    }

    /** Closes all open questions, so that each terminal shows its own prompt. */
    @Override
    public void close() {
        questions.close();
    }
}

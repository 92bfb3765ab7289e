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
 * Sessions in terminals. Each has a log like any other, in which every hook is an event; what a
 * terminal asks is an approval like any other.
 */
public final class Hooks implements AskerSource, AutoCloseable {
    /** The lifecycle event of a session whose terminal fell silent. */
    public static final String TIMED_OUT = "timed_out";

    private static final int MAX_ENDED_AT_ONCE = 100;

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
            HookTimes times) {
        this.store = new HookSessionStore(database);
        this.events = events;
        this.approvals = approvals;
        this.clock = clock;
        this.silence = times.silence();
        this.questions = new HookQuestions(approvals, times.answer());
    }

    /** Cancels what terminals asked an earlier server: they have asked by themselves since. */
    public void recover() {
        store.forsaken().forEach(this::cancel);
    }

    private void cancel(SessionId session) {
        events.commit(
                session,
                (transaction, now) -> Commit.of(approvals.cancelOpen(transaction, session, now)));
    }

    /**
     * Ends the sessions of terminals that have been silent for too long: a terminal that is killed
     * reports no end. The next event of one that was not gone makes its session active again.
     */
    public void endSilent() {
        if (silence.isZero()) {
            return;
        }
        long since = clock.millis() - silence.toMillis();
        store.silent(since, MAX_ENDED_AT_ONCE).forEach(session -> endSilent(session, since));
    }

    private void endSilent(SessionId id, long since) {
        if (questions.askerOf(id).isPresent()) {
            return; // it holds a connection and waits for an answer
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
        calls.forget(id);
        ended.ifPresent(session -> listeners.forEach(told -> told.accept(session)));
    }

    private Commit<Optional<HookSession>> end(Transaction transaction, HookSession silent) {
        var ended = silent.ended();
        store.put(transaction, ended);
        var event = NewEvent.lifecycle(silent.id(), TIMED_OUT, JsonWriter.object());
        return new Commit<>(List.of(event), Optional.of(ended));
    }

    /**
     * Told after each event that made a session known, named it, or changed whether it is active;
     * on the thread of the hook that waits for it, so not for long.
     */
    public void onChange(Consumer<HookSession> listener) {
        listeners.add(listener);
    }

    public List<HookSession> list(TenantId tenant, int limit) {
        return store.list(tenant, limit);
    }

    /** Whose session it is; empty if no hook has told of it. */
    public Optional<TenantId> tenant(SessionId id) {
        return store.find(id).map(HookSession::tenant);
    }

    public Optional<HookSession> find(TenantId tenant, SessionId id) {
        return store.find(id).filter(session -> session.tenant().equals(tenant));
    }

    /** The session that a terminal of this tenant calls by this name; it may be the id as well. */
    public Optional<HookSession> named(TenantId tenant, String name) {
        if (!HookEvent.isName(name)) {
            return Optional.empty();
        }
        var id = HookEvent.id(name);
        var known = find(tenant, id);
        return known.isPresent() ? known : find(tenant, HookEvent.id(tenant, id));
    }

    /**
     * The event as this tenant's: terminals choose the ids of their sessions, so one may name a
     * session of another tenant. It gets a session of its own then, like any id that is new, and
     * learns nothing of the other.
     */
    HookEvent admit(TenantId tenant, HookEvent event) {
        var terminal = store.find(event.session());
        var owner = terminal.map(HookSession::tenant).or(() -> store.owner(event.session()));
        if (owner.isEmpty()) {
            return event;
        }
        if (!owner.get().equals(tenant)) {
            return event.ofTenant(tenant);
        }
        if (terminal.isEmpty()) {
            throw new ApiException(
                    ErrorCode.FORBIDDEN,
                    "session_id names a session of Ash's own, which no hook can speak for");
        }
        return event;
    }

    /** The session as it is after an event, and the event's number; 0 if it is in no log. */
    record Taken(HookSession session, long seq) {}

    /**
     * {@code isQuestion}: the same event comes as a report too, by another hook, and is logged
     * then.
     */
    Taken take(TenantId tenant, HookEvent event, boolean isQuestion) {
        var report = NewEvent.of(event.session(), null, EventType.HOOK, event.body(), null);
        var logged = isQuestion ? List.<NewEvent>of() : List.of(report);
        var result =
                events.commit(
                        event.session(),
                        (transaction, now) ->
                                new Commit<>(logged, update(transaction, tenant, event, now)));
        settle(event);
        calls.take(event);
        var update = result.value();
        tell(update.before(), update.after());
        long seq = result.events().isEmpty() ? 0 : result.events().getFirst().seq();
        return new Taken(update.after(), seq);
    }

    /** A session before and after an event. */
    private record Update(Optional<HookSession> before, HookSession after) {}

    private Update update(Transaction transaction, TenantId tenant, HookEvent event, long now) {
        var before = store.find(transaction, event.session());
        var after =
                before.map(session -> session.after(event, now))
                        .orElseGet(() -> HookSession.of(event, tenant, now));
        store.put(transaction, after);
        return new Update(before, after);
    }

    /** An event may say that a question was answered where it was asked, or asked in vain. */
    private void settle(HookEvent event) {
        if (event.is("PostToolUse", "PostToolUseFailure")) {
            questions.over(event.session(), event::isSameCall);
        } else if (event.is("Stop", "StopFailure", "SessionEnd")) {
            questions.over(event.session(), _ -> true);
        }
    }

    private void tell(Optional<HookSession> before, HookSession after) {
        boolean changed =
                before.isEmpty()
                        || before.get().isActive() != after.isActive()
                        || !before.get().title().equals(after.title());
        if (changed) {
            listeners.forEach(listener -> listener.accept(after));
        }
    }

    Optional<HookQuestions.Question> ask(HookSession session, HookEvent event) {
        return questions.ask(session, event, calls.idOf(event));
    }

    @Override
    public Optional<Asker> find(SessionId session, String askerId) {
        return questions.askerOf(session).filter(asker -> asker.bridgeId().equals(askerId));
    }

    /** Lets every terminal ask by itself. */
    @Override
    public void close() {
        questions.close();
    }
}

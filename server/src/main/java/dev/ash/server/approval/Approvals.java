package dev.ash.server.approval;

import dev.ash.protocol.ApiException;
import dev.ash.protocol.SessionId;
import dev.ash.protocol.TenantId;
import dev.ash.protocol.TurnId;
import dev.ash.protocol.bridge.BridgeEvent;
import dev.ash.protocol.rest.Approval;
import dev.ash.server.concurrent.KeyedExecutor;
import dev.ash.server.event.EventLog;
import dev.ash.server.event.NewEvent;
import dev.ash.server.event.NewEvent.BridgePosition;
import dev.ash.server.event.SessionEvents;
import dev.ash.server.store.Storage;
import dev.ash.server.store.Transaction;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Records the questions of askers; {@link ApprovalAnswers} decides them. Every change is a unit of
 * work on the writer's thread, which orders questions, decisions and their delivery. Decisions are
 * sent after the commit, on a thread of the session.
 */
public final class Approvals {
    private static final int MAX_NOTICES = 50;

    /** Reached only if a bridge asks without reading the answers. */
    private static final int MAX_DELIVERIES = 1024;

    private final ApprovalStore store;
    private final SessionEvents events;
    private final Clock clock;
    private final ExpirySchedule schedule;
    private final DecisionDelivery delivery;
    private final ApprovalRequests requests;
    private final Set<SessionId> sessionsToWake = ConcurrentHashMap.newKeySet();

    public Approvals(Storage storage, EventLog log, Optional<Duration> timeToLive) {
        this(new ApprovalStore(storage.database()), log.events(), storage.clock(), timeToLive);
    }

    /** {@code timeToLive} limits how long a question stays open; empty for no limit. */
    public Approvals(
            ApprovalStore store, SessionEvents events, Clock clock, Optional<Duration> timeToLive) {
        this(store, events, clock, timeToLive, deliveries()::submit);
    }

    Approvals(
            ApprovalStore store,
            SessionEvents events,
            Clock clock,
            Optional<Duration> timeToLive,
            DeliveryQueue deliveries) {
        this.store = store;
        this.events = events;
        this.clock = clock;
        this.schedule = new ExpirySchedule(clock);
        this.delivery = new DecisionDelivery(store.deliveries(), clock, deliveries);
        this.requests = new ApprovalRequests(store, events, timeToLive, delivery, schedule);
    }

    static KeyedExecutor<SessionId> deliveries() {
        return new KeyedExecutor<>("approvals", KeyedExecutor.Limits.perKey(MAX_DELIVERIES));
    }

    ApprovalStore store() {
        return store;
    }

    SessionEvents events() {
        return events;
    }

    Clock clock() {
        return clock;
    }

    ExpirySchedule schedule() {
        return schedule;
    }

    DecisionDelivery delivery() {
        return delivery;
    }

    /** Returns sessions that must be woken for a decision. */
    Set<SessionId> sessionsToWake() {
        return sessionsToWake;
    }

    /**
     * Records a question of an asker, which may repeat it. Returns immediately; {@code committed}
     * and {@code failed} run on the writer's thread. {@code turn} is the open turn of the question.
     */
    public void ask(
            Asker asker,
            TenantId tenant,
            SessionId session,
            @Nullable TurnId turn,
            BridgeEvent.Approval question,
            BridgePosition position,
            Runnable committed,
            Consumer<ApiException> failed) {
        ask(asker, tenant, session, turn, question, null, position, committed, failed);
    }

    /** Records a question with a risk level; null if the asker states none. */
    public void ask(
            Asker asker,
            TenantId tenant,
            SessionId session,
            @Nullable TurnId turn,
            BridgeEvent.Approval question,
            @Nullable String riskLevel,
            BridgePosition position,
            Runnable committed,
            Consumer<ApiException> failed) {
        requests.ask(
                asker,
                new ApprovalRow.Owner(tenant, session, turn),
                new ApprovalRow.Call(
                        question.kind(),
                        question.tool(),
                        question.toolUseId(),
                        question.description(),
                        question.input(),
                        riskLevel),
                new ApprovalRow.Question(asker.kind(), position, question.id()),
                committed,
                failed);
    }

    /**
     * Cancels a question that the engine no longer waits for; {@code position} is that of {@code
     * approval_gone}. Voids an undelivered decision, as it was for this call only.
     */
    public void abandon(
            SessionId session,
            BridgePosition position,
            String question,
            Runnable committed,
            Consumer<ApiException> failed) {
        requests.abandon(session, position, question, committed, failed);
    }

    /** Returns the current state of the question that was asked at a position. */
    public Optional<Approval> find(SessionId session, BridgePosition position) {
        return store.find(session, position).map(ApprovalRow::toApi);
    }

    /** Cancels the question of a pair run, unless it is decided; returns its state. */
    public Optional<Approval> withdraw(SessionId session, BridgePosition position) {
        requests.withdraw(session, position);
        return find(session, position);
    }

    /** Sends an adopted bridge all decisions on its questions. */
    public void resendDecisions(Asker bridge) {
        delivery.sendAll(bridge);
    }

    /**
     * Defers a question when its bridge rests, in the unit that makes its turn {@code deferred}. An
     * undelivered decision becomes available for the call that {@code continue} repeats. Returns
     * whether the question is decided already: the session must then resume the turn immediately
     * after the commit.
     */
    public boolean defer(
            Transaction transaction, SessionId session, String bridgeId, String question) {
        var latest =
                store.findByQuestion(transaction, session, bridgeId, question).stream().findFirst();
        latest.ifPresent(row -> store.deliveries().defer(transaction, row.id()));
        return latest.isPresent() && !latest.get().isPending();
    }

    /** Wakes a session that fell asleep with a deferred question that is decided already. */
    public void onSleep(SessionId session) {
        delivery.submit(
                session,
                () -> {
                    if (store.deliveries().sessionsToWake().contains(session)) {
                        sessionsToWake.add(session);
                        schedule.add(Long.MIN_VALUE); // wakes the sweeper immediately
                    }
                });
    }

    /**
     * Cancels all open questions of a session that ends; returns the events to log in the same
     * unit.
     */
    public List<NewEvent> cancelOpen(Transaction transaction, SessionId session, long now) {
        return cancel(transaction, store.unspent(transaction, session), now);
    }

    /**
     * Cancels the open questions of a turn that was interrupted while deferred. Undelivered
     * approvals become void.
     */
    public List<NewEvent> cancelOpen(
            Transaction transaction, SessionId session, TurnId turn, long now) {
        return cancel(transaction, store.unspent(transaction, session, turn), now);
    }

    private List<NewEvent> cancel(Transaction transaction, List<ApprovalRow> unspent, long now) {
        var log = new ArrayList<NewEvent>();
        for (var row : unspent) {
            if (store.decide(transaction, row.id(), Decision.CANCELLED, DecidedBy.SESSION, now)) {
                log.add(store.require(transaction, row.id()).resolvedEvent(null));
            } else if (row.status() != ApprovalStatus.CANCELLED) {
                store.deliveries().spend(transaction, row.id(), row.position().bridgeId(), now);
            }
        }
        return log;
    }

    /**
     * Returns undelivered decisions to report with the next prompt; call {@link #markReported} in
     * the unit that logs the prompt.
     */
    public List<DecisionNotice> pendingNotices(SessionId session, String bridgeId) {
        return store.deliveries().unreported(session, bridgeId, MAX_NOTICES).stream()
                .map(DecisionNotice::of)
                .toList();
    }

    public void markReported(Transaction transaction, List<DecisionNotice> notices, long now) {
        store.deliveries()
                .markReported(transaction, notices.stream().map(DecisionNotice::id).toList(), now);
    }

    /** Returns the number of open questions of a session. */
    public int countPending(SessionId session) {
        return store.countPending(session);
    }
}

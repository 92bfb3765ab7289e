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
 * Questions that askers ask; {@link ApprovalAnswers} decides them. Every change is a unit of work
 * on the writer's thread, so that asking, deciding and spending a decision have one order; sending
 * follows the commit, on a thread of the session.
 */
public final class Approvals {
    private static final int MOST_TOLD = 50;

    /** Reached only by a bridge that asks without reading its answers. */
    private static final int MAX_DELIVERIES = 1024;

    private final ApprovalStore store;
    private final SessionEvents events;
    private final Clock clock;
    private final ExpirySchedule schedule;
    private final DecisionDelivery delivery;
    private final ApprovalRequests requests;
    private final Set<SessionId> unwoken = ConcurrentHashMap.newKeySet();

    public Approvals(Storage storage, EventLog log, Optional<Duration> timeToLive) {
        this(new ApprovalStore(storage.database()), log.events(), storage.clock(), timeToLive);
    }

    /** {@code timeToLive}: how long a question stays open; for ever where there is none. */
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

    /** Sessions that must be woken for a decision. */
    Set<SessionId> unwoken() {
        return unwoken;
    }

    /**
     * A bridge asks, perhaps again. Returns at once; {@code committed} and {@code failed} run on
     * the writer's thread. {@code turn} is the open turn that the question belongs to.
     */
    public void asked(
            Asker bridge,
            TenantId tenant,
            SessionId session,
            @Nullable TurnId turn,
            BridgeEvent.Approval question,
            BridgePosition place,
            Runnable committed,
            Consumer<ApiException> failed) {
        asked(bridge, tenant, session, turn, question, null, place, committed, failed);
    }

    /** The same; {@code riskLevel} is what the asker says of the risk, null if it says nothing. */
    public void asked(
            Asker bridge,
            TenantId tenant,
            SessionId session,
            @Nullable TurnId turn,
            BridgeEvent.Approval question,
            @Nullable String riskLevel,
            BridgePosition place,
            Runnable committed,
            Consumer<ApiException> failed) {
        requests.ask(
                bridge,
                new ApprovalRow.Owner(tenant, session, turn),
                new ApprovalRow.Call(
                        question.kind(),
                        question.tool(),
                        question.toolUseId(),
                        question.description(),
                        question.input(),
                        riskLevel),
                new ApprovalRow.Question(bridge.kind(), place, question.id()),
                committed,
                failed);
    }

    /**
     * The engine does not wait any more; {@code place} is that of {@code approval_gone}. A decision
     * that had not reached it is void: it was for this call, which will not happen.
     */
    public void gone(
            SessionId session,
            BridgePosition place,
            String question,
            Runnable committed,
            Consumer<ApiException> failed) {
        requests.giveUp(session, place, question, committed, failed);
    }

    /** What was asked at a place, as it is now. */
    public Optional<Approval> at(SessionId session, BridgePosition place) {
        return store.at(session, place).map(ApprovalRow::shown);
    }

    /** Cancels what a run asked, unless it was answered; returns what became of it. */
    public Optional<Approval> withdraw(SessionId session, BridgePosition place) {
        requests.withdraw(session, place);
        return at(session, place);
    }

    /** Sends an adopted bridge what was decided meanwhile. */
    public void adopted(Asker bridge) {
        delivery.sendAll(bridge);
    }

    /**
     * A bridge laid a question aside ({@code resting}), in the unit that makes its turn {@code
     * deferred}. A decision that was on its way to it is free again for the call that {@code
     * continue} repeats. Returns whether there is a decision already, so that after the commit the
     * session must go on with the turn at once.
     */
    public boolean laidAside(
            Transaction transaction, SessionId session, String bridgeId, String question) {
        var latest = store.heldBy(transaction, session, bridgeId, question).stream().findFirst();
        latest.ifPresent(row -> store.deliveries().defer(transaction, row.id()));
        return latest.isPresent() && !latest.get().isPending();
    }

    /** The session sleeps with a deferred question; wakes it if that is decided already. */
    public void asleep(SessionId session) {
        delivery.submit(
                session,
                () -> {
                    if (store.deliveries().toWake().contains(session)) {
                        unwoken.add(session);
                        schedule.add(Long.MIN_VALUE); // now, and not with the next round
                    }
                });
    }

    /**
     * Cancels all open questions of a session that ends, and returns the events to log in the same
     * unit.
     */
    public List<NewEvent> cancelOpen(Transaction transaction, SessionId session, long now) {
        return cancel(transaction, store.unspent(transaction, session), now);
    }

    /**
     * The same for one turn, interrupted while it was laid aside. What was approved and not done
     * yet is not done any more.
     */
    public List<NewEvent> cancelOpen(
            Transaction transaction, SessionId session, TurnId turn, long now) {
        return cancel(transaction, store.unspent(transaction, session, turn), now);
    }

    private List<NewEvent> cancel(Transaction transaction, List<ApprovalRow> unspent, long now) {
        var log = new ArrayList<NewEvent>();
        for (var row : unspent) {
            if (store.decide(transaction, row.id(), Decision.CANCELLED, DecidedBy.SESSION, now)) {
                log.add(store.require(transaction, row.id()).resolved(null));
            } else if (row.status() != ApprovalStatus.CANCELLED) {
                store.deliveries().spend(transaction, row.id(), row.place().bridgeId(), now);
            }
        }
        return log;
    }

    /** What the next prompt should tell the engine; {@link #told} in the unit that logs it. */
    public List<DecisionNotice> toTell(SessionId session, String bridgeId) {
        return store.deliveries().untold(session, bridgeId, MOST_TOLD).stream()
                .map(DecisionNotice::of)
                .toList();
    }

    public void told(Transaction transaction, List<DecisionNotice> told, long now) {
        store.deliveries().told(transaction, told.stream().map(DecisionNotice::id).toList(), now);
    }

    /** How many questions of a session are open. */
    public int openOf(SessionId session) {
        return store.open(session);
    }
}

package dev.ash.server.approval;

import dev.ash.protocol.ApiException;
import dev.ash.protocol.SessionId;
import dev.ash.protocol.TenantId;
import dev.ash.protocol.TurnId;
import dev.ash.protocol.bridge.BridgeEvent;
import dev.ash.protocol.rest.Approval;
import dev.ash.protocol.rest.ApprovalApi;
import dev.ash.server.concurrent.KeyedExecutor;
import dev.ash.server.event.NewEvent;
import dev.ash.server.event.NewEvent.BridgePlace;
import dev.ash.server.event.SessionEvents;
import dev.ash.server.store.Transaction;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Questions that engines ask, and their answers. Every change is a unit of work on the writer's
 * thread, so that asking, deciding and giving away a decision have one order; what a bridge is told
 * follows the commit, on a thread of its session.
 */
public final class Approvals implements AutoCloseable {
    private static final int MOST = 1000;
    private static final int MOST_TOLD = 50;

    /** Reached only by a bridge that asks without reading its answers. */
    private static final int MAX_DELIVERIES = 1024;

    private final ApprovalStore store;
    private final Answers answers;
    private final Decisions decisions;
    private final Sweeper sweeper;
    private final ApprovalRequests requests;

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
        this.answers = new Answers(store.deliveries(), clock, deliveries);
        this.decisions = new Decisions(store, events, answers);
        this.sweeper = new Sweeper(store.expiry(), clock, decisions::expire, answers::wakeAgain);
        this.requests = new ApprovalRequests(store, events, timeToLive, answers, sweeper);
    }

    static KeyedExecutor<SessionId> deliveries() {
        return new KeyedExecutor<>("approvals", KeyedExecutor.Limits.perKey(MAX_DELIVERIES));
    }

    /** Delivers answers to these bridges; called once, before {@link #start}. */
    public void answerThrough(Askers bridges) {
        answers.through(bridges);
    }

    /**
     * Delivers answers to the askers of a kind that are not bridges; called before {@link #start}.
     */
    public void answerThrough(AskerKind kind, AskerSource askers) {
        answers.through(kind, askers);
    }

    /**
     * Begins to let questions expire, and wakes turns whose answer came before the server ended.
     * Called once sessions are recovered.
     */
    public void start() {
        answers.wakeAll();
        sweeper.start();
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
            BridgePlace place,
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
            BridgePlace place,
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
            BridgePlace place,
            String question,
            Runnable committed,
            Consumer<ApiException> failed) {
        requests.giveUp(session, place, question, committed, failed);
    }

    /** What was asked at a place, as it is now. */
    public Optional<Approval> at(SessionId session, BridgePlace place) {
        return store.at(session, place).map(ApprovalRow::shown);
    }

    /** Cancels what a run asked, unless it was answered; returns what became of it. */
    public Optional<Approval> withdraw(SessionId session, BridgePlace place) {
        requests.withdraw(session, place);
        return at(session, place);
    }

    /** The server has taken up a bridge that lived on: it is told what was decided meanwhile. */
    public void adopted(Asker bridge) {
        answers.adopted(bridge);
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

    /** The session sleeps, with a question laid aside: woken at once if that is answered. */
    public void asleep(SessionId session) {
        answers.asleep(session);
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
    public List<DecisionNotice> toTell(SessionId session) {
        var live = answers.live(session).map(Asker::bridgeId).orElse("");
        return store.deliveries().untold(session, live, MOST_TOLD).stream()
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

    /** Open questions of a session, the oldest first. */
    public List<Approval> pending(TenantId tenant, SessionId session) {
        return store
                .lists()
                .list(
                        new ApprovalListStore.Filter(
                                tenant,
                                Optional.of(ApprovalStatus.PENDING),
                                Optional.of(session),
                                Optional.empty(),
                                MOST))
                .stream()
                .map(ApprovalRow::shown)
                .toList();
    }

    ApprovalRow require(TenantId tenant, ApprovalId id) {
        return decisions.require(tenant, id);
    }

    /** Answers a question; the first answer counts. {@code by} names the door it came through. */
    public Approval decide(TenantId tenant, ApprovalId id, ApprovalApi.Decide answer, String by) {
        return decisions.decide(tenant, id, answer, by).shown();
    }

    @Override
    public void close() {
        sweeper.close();
    }
}

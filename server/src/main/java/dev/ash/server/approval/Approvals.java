package dev.ash.server.approval;

import dev.ash.protocol.ApiException;
import dev.ash.protocol.ErrorCode;
import dev.ash.protocol.SessionId;
import dev.ash.protocol.TenantId;
import dev.ash.protocol.TurnId;
import dev.ash.protocol.bridge.BridgeEvent;
import dev.ash.protocol.rest.Approval;
import dev.ash.protocol.rest.ApprovalApi;
import dev.ash.server.event.Commit;
import dev.ash.server.event.NewEvent;
import dev.ash.server.event.NewEvent.BridgePlace;
import dev.ash.server.event.SessionEvents;
import dev.ash.server.store.Timestamps;
import dev.ash.server.store.Transaction;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Questions that engines ask, and their answers. Every change is a unit of work on the writer's
 * thread, so that asking, deciding and giving away a decision have one order; what a bridge is told
 * follows the commit, on a thread of its session.
 */
public final class Approvals implements AutoCloseable {
    private static final int MOST = 1000;

    /** What the ids of those begin with who ask for a terminal. */
    public static final String HOOKS = "hooks:";

    /**
     * The same for runs of pairs. What they ask stands in the session of a peer, but is not its
     * engine's: no engine is told the answer, and it stays open when the session ends.
     */
    public static final String PAIRS = "pair:";

    private static final int MOST_TOLD = 50;

    private final ApprovalStore store;
    private final SessionEvents events;
    private final Optional<Duration> timeToLive;
    private final Rules rules;
    private final Answers answers;
    private final Sweeper sweeper;

    /** {@code timeToLive}: how long a question stays open; for ever where there is none. */
    public Approvals(
            ApprovalStore store, SessionEvents events, Clock clock, Optional<Duration> timeToLive) {
        this(store, events, clock, timeToLive, new Lanes());
    }

    Approvals(
            ApprovalStore store,
            SessionEvents events,
            Clock clock,
            Optional<Duration> timeToLive,
            Handover handover) {
        this.store = store;
        this.events = events;
        this.timeToLive = timeToLive;
        this.rules = new Rules(store);
        this.answers = new Answers(store, clock, handover);
        this.sweeper = new Sweeper(store, clock, this::expire, answers::wakeAgain);
    }

    /** Said once, before {@link #start}. */
    public void answerThrough(Askers askers) {
        answers.through(askers);
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
        var id = ApprovalId.random();
        events.submit(
                session,
                (transaction, now) -> {
                    var asked =
                            row(id, bridge, tenant, session, turn, question, riskLevel, place, now);
                    var outcome = rules.apply(transaction, asked, now);
                    return new Commit<>(outcome.events(), outcome);
                },
                result -> {
                    follow(bridge, result.value());
                    committed.run();
                },
                failed);
    }

    private ApprovalRow row(
            ApprovalId id,
            Asker asker,
            TenantId tenant,
            SessionId session,
            @Nullable TurnId turn,
            BridgeEvent.Approval question,
            @Nullable String riskLevel,
            BridgePlace place,
            long now) {
        return new ApprovalRow(
                id,
                tenant,
                session,
                turn,
                question.kind(),
                question.tool(),
                question.toolUseId(),
                question.description(),
                question.input(),
                ApprovalStatus.PENDING,
                null,
                null,
                null,
                null,
                now,
                null,
                Stream.concat(timeToLive.stream(), asker.patience().stream())
                        .min(Comparator.naturalOrder())
                        .map(time -> now + time.toMillis())
                        .orElse(null),
                place,
                question.id(),
                null,
                riskLevel);
    }

    private void follow(Asker bridge, Rules.Outcome outcome) {
        var expiresAt = outcome.row().expiresAt();
        if (outcome.isToAnswer()) {
            answers.send(bridge, outcome.row());
        } else if (expiresAt != null) {
            sweeper.expects(expiresAt);
        }
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
        events.submit(
                session,
                (transaction, now) -> {
                    var log = new ArrayList<NewEvent>();
                    for (var row : store.heldBy(transaction, session, place.bridgeId(), question)) {
                        if (store.decide(
                                transaction, row.id(), Decision.CANCELLED, DecidedBy.ENGINE, now)) {
                            var cancelled = store.require(transaction, row.id());
                            log.add(cancelled.resolved(log.isEmpty() ? place : null));
                        }
                        store.spend(transaction, row.id(), place.bridgeId(), now);
                    }
                    return Commit.of(log);
                },
                _ -> committed.run(),
                failed);
    }

    /** What was asked at a place, as it is now. */
    public Optional<Approval> at(SessionId session, BridgePlace place) {
        return store.at(session, place).map(ApprovalRow::shown);
    }

    /** Cancels what a run asked, unless it was answered; returns what became of it. */
    public Optional<Approval> withdraw(SessionId session, BridgePlace place) {
        events.commit(
                session,
                (transaction, now) ->
                        Commit.of(
                                store
                                        .at(transaction, session, place)
                                        .filter(ApprovalRow::isPending)
                                        .map(row -> withdrawn(transaction, row, now))
                                        .stream()
                                        .toList()));
        return at(session, place);
    }

    private NewEvent withdrawn(Transaction transaction, ApprovalRow row, long now) {
        store.decide(transaction, row.id(), Decision.CANCELLED, DecidedBy.PAIR, now);
        store.spend(transaction, row.id(), row.place().bridgeId(), now);
        return store.require(transaction, row.id()).resolved(null);
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
        latest.ifPresent(row -> store.layAside(transaction, row.id()));
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
        return cancel(transaction, session, null, now);
    }

    /**
     * The same for one turn, interrupted while it was laid aside. What was approved and not done
     * yet is not done any more.
     */
    public List<NewEvent> cancelOpen(
            Transaction transaction, SessionId session, TurnId turn, long now) {
        return cancel(transaction, session, turn, now);
    }

    private List<NewEvent> cancel(
            Transaction transaction, SessionId session, @Nullable TurnId turn, long now) {
        var log = new ArrayList<NewEvent>();
        for (var row : store.unspent(transaction, session, turn)) {
            if (store.decide(transaction, row.id(), Decision.CANCELLED, DecidedBy.SESSION, now)) {
                log.add(store.require(transaction, row.id()).resolved(null));
            } else if (row.status() != ApprovalStatus.CANCELLED) {
                store.spend(transaction, row.id(), row.place().bridgeId(), now);
            }
        }
        return log;
    }

    /** What the next prompt should tell the engine; {@link #told} in the unit that logs it. */
    public List<Told> toTell(SessionId session) {
        var live = answers.live(session).map(Asker::bridgeId).orElse("");
        return store.untold(session, live, MOST_TOLD).stream().map(Told::of).toList();
    }

    public void told(Transaction transaction, List<Told> told, long now) {
        store.told(transaction, told.stream().map(Told::id).toList(), now);
    }

    /** How many questions of a session are open. */
    public int openOf(SessionId session) {
        return store.open(session);
    }

    /** Open questions of a session, the oldest first. */
    public List<Approval> pending(TenantId tenant, SessionId session) {
        return store
                .list(
                        new ApprovalStore.Filter(
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
        return store.find(tenant, id)
                .orElseThrow(
                        () ->
                                new ApiException(
                                        ErrorCode.APPROVAL_NOT_FOUND,
                                        "There is no approval " + id));
    }

    /** Answers a question; the first answer counts. {@code by} names the door it came through. */
    public Approval decide(TenantId tenant, ApprovalId id, ApprovalApi.Decide answer, String by) {
        var row = require(tenant, id);
        if (!row.isPending()) {
            throw resolved(row);
        }
        var decision = Decision.of(answer, row.kind());
        var decided =
                decide(
                        row,
                        (transaction, now) -> {
                            boolean first = store.decide(transaction, id, decision, by, now);
                            if (first && decision.isForSession()) {
                                store.letPass(transaction, row.session(), row.tool(), now);
                            }
                            return first;
                        });
        return decided.orElseThrow(() -> resolved(require(tenant, id))).shown();
    }

    private void expire(ApprovalRow row) {
        decide(
                row,
                (transaction, now) ->
                        Objects.requireNonNullElse(row.expiresAt(), Long.MAX_VALUE) <= now
                                && store.decide(
                                        transaction,
                                        row.id(),
                                        Decision.EXPIRED,
                                        DecidedBy.EXPIRY,
                                        now));
    }

    private interface First {
        boolean decides(Transaction transaction, long now);
    }

    private Optional<ApprovalRow> decide(ApprovalRow row, First first) {
        var decided =
                events.commit(
                                row.session(),
                                (transaction, now) ->
                                        first.decides(transaction, now)
                                                ? decided(transaction, row)
                                                : new Commit<>(
                                                        List.of(), Optional.<ApprovalRow>empty()))
                        .value();
        decided.ifPresent(answers::settle);
        return decided;
    }

    private Commit<Optional<ApprovalRow>> decided(Transaction transaction, ApprovalRow row) {
        var after = store.require(transaction, row.id());
        return new Commit<>(List.of(after.resolved(null)), Optional.of(after));
    }

    private static ApiException resolved(ApprovalRow row) {
        return new ApiException(
                ErrorCode.APPROVAL_RESOLVED,
                "This was %s already, by %s at %s; the first answer counts"
                        .formatted(
                                row.outcome(),
                                row.decidedBy(),
                                Timestamps.iso(Objects.requireNonNullElse(row.decidedAt(), 0L))));
    }

    @Override
    public void close() {
        sweeper.close();
    }
}

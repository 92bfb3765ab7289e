package dev.ash.server.approval;

import dev.ash.protocol.ApiException;
import dev.ash.protocol.SessionId;
import dev.ash.server.event.Commit;
import dev.ash.server.event.NewEvent;
import dev.ash.server.event.NewEvent.BridgePosition;
import dev.ash.server.event.SessionEvents;
import dev.ash.server.store.Transaction;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.stream.Stream;

/**
 * Records the questions that askers ask, give up and withdraw.
 *
 * <p>Only the unit of work shows which events it logs: it puts them into the list that {@link
 * SessionEvents} reads after the unit's statements.
 */
final class ApprovalRequests {
    private final ApprovalStore store;
    private final SessionEvents events;
    private final Optional<Duration> timeToLive;
    private final Rules rules;
    private final DecisionDelivery delivery;
    private final ExpirySchedule schedule;

    ApprovalRequests(
            ApprovalStore store,
            SessionEvents events,
            Optional<Duration> timeToLive,
            DecisionDelivery delivery,
            ExpirySchedule schedule) {
        this.store = store;
        this.events = events;
        this.timeToLive = timeToLive;
        this.rules = new Rules(store);
        this.delivery = delivery;
        this.schedule = schedule;
    }

    void ask(
            Asker asker,
            ApprovalRow.Owner owner,
            ApprovalRow.Call call,
            ApprovalRow.Question question,
            Runnable committed,
            Consumer<ApiException> failed) {
        var id = ApprovalId.random();
        events.submit(
                owner.session(),
                (transaction, now) -> {
                    var expiresAt = expiry(asker).map(time -> now + time.toMillis()).orElse(null);
                    var asked = new ApprovalRow(id, owner, call, question, null, now, expiresAt);
                    var outcome = rules.apply(transaction, asked, now);
                    return new Commit<>(outcome.events(), outcome);
                },
                result -> {
                    follow(asker, result.value());
                    committed.run();
                },
                failed);
    }

    private Optional<Duration> expiry(Asker asker) {
        return Stream.concat(timeToLive.stream(), asker.patience().stream())
                .min(Comparator.naturalOrder());
    }

    private void follow(Asker asker, Rules.Outcome outcome) {
        var expiresAt = outcome.row().expiresAt();
        if (outcome.isToAnswer()) {
            delivery.send(asker, outcome.row());
        } else if (expiresAt != null) {
            schedule.add(expiresAt);
        }
    }

    /** Cancels a question that its asker no longer waits for, and voids a decision on its way. */
    void giveUp(
            SessionId session,
            BridgePosition place,
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
                        store.deliveries().spend(transaction, row.id(), place.bridgeId(), now);
                    }
                    return Commit.of(log);
                },
                _ -> committed.run(),
                failed);
    }

    /** Cancels the question of a run, unless it is decided. */
    void withdraw(SessionId session, BridgePosition place) {
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
    }

    private NewEvent withdrawn(Transaction transaction, ApprovalRow row, long now) {
        store.decide(transaction, row.id(), Decision.CANCELLED, DecidedBy.PAIR, now);
        store.deliveries().spend(transaction, row.id(), row.place().bridgeId(), now);
        return store.require(transaction, row.id()).resolved(null);
    }
}

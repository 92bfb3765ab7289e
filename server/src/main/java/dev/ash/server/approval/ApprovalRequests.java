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
 * Records questions that askers ask, abandon and withdraw. Each change and its events are committed
 * in one unit of work.
 */
final class ApprovalRequests {
    private final ApprovalStore store;
    private final SessionEvents events;
    private final Optional<Duration> timeToLive;
    private final QuestionResolver resolver;
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
        this.resolver = new QuestionResolver(store);
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
                    var expiresAt =
                            timeToLive(asker).map(time -> now + time.toMillis()).orElse(null);
                    var asked = new ApprovalRow(id, owner, call, question, null, now, expiresAt);
                    var outcome = resolver.resolve(transaction, asked, now);
                    return new Commit<>(outcome.events(), outcome);
                },
                result -> {
                    afterCommit(asker, result.value());
                    committed.run();
                },
                failed);
    }

    private Optional<Duration> timeToLive(Asker asker) {
        return Stream.concat(timeToLive.stream(), asker.answerTimeout().stream())
                .min(Comparator.naturalOrder());
    }

    private void afterCommit(Asker asker, QuestionResolver.Outcome outcome) {
        var expiresAt = outcome.row().expiresAt();
        if (outcome.isDecided()) {
            delivery.send(asker, outcome.row());
        } else if (expiresAt != null) {
            schedule.add(expiresAt);
        }
    }

    /** Cancels a question that its asker no longer waits for, and voids an undelivered decision. */
    void abandon(
            SessionId session,
            BridgePosition position,
            String question,
            Runnable committed,
            Consumer<ApiException> failed) {
        events.submit(
                session,
                (transaction, now) -> {
                    var log = new ArrayList<NewEvent>();
                    for (var row :
                            store.findByQuestion(
                                    transaction, session, position.bridgeId(), question)) {
                        if (store.decide(
                                transaction, row.id(), Decision.CANCELLED, DecidedBy.ENGINE, now)) {
                            var cancelled = store.require(transaction, row.id());
                            log.add(cancelled.resolvedEvent(log.isEmpty() ? position : null));
                        }
                        store.deliveries().spend(transaction, row.id(), position.bridgeId(), now);
                    }
                    return Commit.of(log);
                },
                _ -> committed.run(),
                failed);
    }

    /** Cancels the question of a run, unless it is decided. */
    void withdraw(SessionId session, BridgePosition position) {
        events.commit(
                session,
                (transaction, now) ->
                        Commit.of(
                                store
                                        .find(transaction, session, position)
                                        .filter(ApprovalRow::isPending)
                                        .map(row -> cancel(transaction, row, now))
                                        .stream()
                                        .toList()));
    }

    private NewEvent cancel(Transaction transaction, ApprovalRow row, long now) {
        store.decide(transaction, row.id(), Decision.CANCELLED, DecidedBy.PAIR, now);
        store.deliveries().spend(transaction, row.id(), row.position().bridgeId(), now);
        return store.require(transaction, row.id()).resolvedEvent(null);
    }
}

package dev.ash.server.pair;

import dev.ash.pair.loop.Arbiter;
import dev.ash.pair.loop.Disagreement;
import dev.ash.protocol.ApiException;
import dev.ash.protocol.SessionId;
import dev.ash.protocol.TenantId;
import dev.ash.protocol.bridge.BridgeCommand.Approve;
import dev.ash.protocol.bridge.BridgeEvent;
import dev.ash.protocol.rest.Approval;
import dev.ash.server.approval.ApprovalId;
import dev.ash.server.approval.Approvals;
import dev.ash.server.approval.Asker;
import dev.ash.server.approval.AskerKind;
import dev.ash.server.event.NewEvent.BridgePosition;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/**
 * Asks the user to decide disagreements: each is an approval in the session of a peer, so that
 * every client that shows approvals can answer it, and the first answer counts. The approval is
 * identified by the run and the number of the disagreement, so that asking again finds the same row
 * and its answer.
 */
final class RunArbiter implements Arbiter, Asker {
    private final PairQuestions questions;
    private final TenantId tenant;
    private final SessionId session;
    private final String pair;
    private final RunTitle title;
    private volatile @Nullable Waiting waiting;

    private record Waiting(String question, CompletableFuture<@Nullable Void> answered) {}

    RunArbiter(
            PairQuestions questions,
            TenantId tenant,
            SessionId session,
            String pair,
            RunTitle title) {
        this.questions = questions;
        this.tenant = tenant;
        this.session = session;
        this.pair = pair;
        this.title = title;
    }

    @Override
    public Optional<Answer> decide(Disagreement disagreement, Duration limit)
            throws InterruptedException {
        var answered = new CompletableFuture<@Nullable Void>();
        waiting = new Waiting(id(disagreement.number()), answered);
        questions.waiting().add(this);
        try {
            ask(disagreement);
            return await(answered, disagreement.number(), limit).flatMap(DecisionOption::read);
        } catch (ApiException e) {
            if (Thread.interrupted()) {
                throw new InterruptedException();
            }
            throw e;
        } finally {
            questions.waiting().remove(this);
        }
    }

    private Optional<Approval> await(
            CompletableFuture<@Nullable Void> answered, int number, Duration limit)
            throws InterruptedException {
        try {
            answered.get(limit.toMillis(), TimeUnit.MILLISECONDS);
            return approvals().find(session, place(number));
        } catch (TimeoutException e) {
            return approvals()
                    .withdraw(
                            session, place(number)); // or returns an answer that arrived meanwhile
        } catch (ExecutionException e) {
            throw new IllegalStateException(e);
        }
    }

    @Override
    public void withdraw(int number) {
        boolean interrupted = Thread.interrupted(); // must not prevent the withdrawal
        try {
            approvals().withdraw(session, place(number));
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    /** Applies a decision from the pair API; here, too, the first decision counts. */
    void answer(Disagreement disagreement, Decision decision, @Nullable String comment, String by)
            throws InterruptedException {
        ask(disagreement); // the loop may not have asked yet
        var open = approvals().find(session, place(disagreement.number())).orElseThrow();
        questions
                .answers()
                .decide(
                        tenant,
                        new ApprovalId(open.id()),
                        DecisionOption.answer(decision, question(disagreement), comment),
                        by);
    }

    private void ask(Disagreement disagreement) throws InterruptedException {
        var committed = new CompletableFuture<@Nullable Void>();
        approvals()
                .ask(
                        this,
                        tenant,
                        session,
                        null,
                        new BridgeEvent.Approval(
                                id(disagreement.number()),
                                BridgeEvent.Approval.Kind.QUESTION,
                                DecisionOption.TOOL,
                                DecisionOption.toolInput(
                                        "Pair " + title.run(), question(disagreement)),
                                null,
                                title + ": the peers do not agree"),
                        place(disagreement.number()),
                        () -> committed.complete(null),
                        committed::completeExceptionally);
        try {
            committed.get();
        } catch (ExecutionException e) {
            throw ApiException.from(e.getCause() == null ? e : e.getCause());
        }
    }

    private String question(Disagreement disagreement) {
        return "%s: the peers do not agree. What now?\n\n%s".formatted(title, disagreement.brief());
    }

    private Approvals approvals() {
        return questions.approvals();
    }

    private String id(int number) {
        return bridgeId() + "/" + number;
    }

    private BridgePosition place(int number) {
        return new BridgePosition(bridgeId(), number);
    }

    @Override
    public SessionId session() {
        return session;
    }

    @Override
    public AskerKind kind() {
        return AskerKind.PAIR;
    }

    @Override
    public String bridgeId() {
        return AskerKind.PAIR.id(pair);
    }

    /**
     * Wakes the arbiter that waits for this run, which may be another instance. It reads the answer
     * from the row.
     */
    @Override
    public void answer(Approve answer) {
        questions.waiting().find(this).ifPresent(loop -> loop.wake(answer));
    }

    private void wake(Approve answer) {
        var current = waiting;
        if (current != null && current.question().equals(answer.id())) {
            current.answered().complete(null);
        }
    }
}

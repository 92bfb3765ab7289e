package dev.ash.pair.loop;

import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Drives one run to its outcome. Every step can be done again after a crash without doing anything
 * twice: a turn has a key, a message an id of its sender's, a commit is made of what is there. What
 * is next is kept before it is begun.
 */
public final class PairLoop {
    private static final int MAX_FAILURES = 3;

    private final RunSpec spec;
    private final Progress progress;
    private final Parts parts;
    private final BudgetTracker budget;
    private final RoundTracker tracker;
    private final WorkSteps work;
    private final ReviewSteps review;
    private final QuestionStep questionStep;

    /**
     * What a loop works with.
     *
     * @param worker null where nobody works
     * @param judge whoever gives the verdict; the worker itself where nobody else does
     */
    public record Parts(
            @Nullable Peer worker,
            Peer judge,
            RunRepositories repositories,
            LoopMailbox mailbox,
            Journal journal,
            TurnListener turnListener,
            RunControl control,
            Arbiter arbiter,
            Duration restAfterFailure) {
        Set<Peer> peers() {
            return worker == null ? Set.of(judge) : new HashSet<>(List.of(worker, judge));
        }
    }

    public PairLoop(RunSpec spec, Progress progress, Parts parts) {
        this.spec = spec;
        this.progress = progress;
        this.parts = parts;
        this.budget = new BudgetTracker(spec.budget(), progress, parts.peers());
        this.tracker = new RoundTracker(spec, progress, parts.journal());
        var peerTurns = new PeerTurns(spec, progress, parts, budget, tracker);
        var context =
                new StepContext(
                        spec, progress, parts, new Prompts(spec), tracker, peerTurns, budget);
        this.work = new WorkSteps(context);
        this.review = new ReviewSteps(context);
        this.questionStep =
                new QuestionStep(spec, progress, tracker, parts.mailbox(), parts.arbiter(), budget);
    }

    /** An interrupt that was not meant to stop the run leaves it as it is, to go on later. */
    public Outcome run() throws InterruptedException {
        while (progress.outcome == null) {
            try {
                hold();
                budget.begin();
                step();
            } catch (PeerFailedException e) {
                failed(e);
            } catch (RepositoryException e) {
                tracker.end(Outcome.AGENT_FAILED, e.message());
            } catch (InterruptedException e) {
                if (!parts.control().isStopped()) {
                    throw e;
                }
                tracker.end(Outcome.CANCELLED, "The person stopped it");
            } finally {
                budget.count();
            }
            if (progress.outcome != null) {
                questionStep.withdraw();
                work.salvage();
            }
            parts.journal().keep(progress);
        }
        return Objects.requireNonNull(progress.outcome);
    }

    private void hold() throws InterruptedException {
        if (parts.control().isPaused()) {
            tracker.note("state", null, "paused");
            parts.control().awaitResume();
            tracker.note("state", null, "goes on");
        }
        if (parts.control().isStopped()) {
            throw new InterruptedException();
        }
    }

    private void step() throws PeerFailedException, RepositoryException, InterruptedException {
        switch (progress.step) {
            case BEGIN -> begin();
            case PLAN -> work.plan();
            case PLAN_REVIEW -> review.plan();
            case WORK -> work.work();
            case KEEP -> work.keep();
            case PROOF -> work.proof();
            case REVIEW -> review.work();
            case QUESTION -> questionStep.question();
            case OVER -> throw new IllegalStateException("a run that is over has an outcome");
        }
    }

    private void begin() throws InterruptedException {
        parts.mailbox().task(spec.first(), spec.task());
        tracker.note("start", null, spec.task());
        parts.repositories().warning().ifPresent(text -> tracker.note("state", null, text));
        progress.round = 1;
        if (spec.mode() == Mode.REVIEW_ONLY) {
            progress.head = parts.repositories().head();
            progress.step = Step.REVIEW;
        } else {
            progress.step = spec.plan() ? Step.PLAN : Step.WORK;
        }
    }

    private void failed(PeerFailedException e) throws InterruptedException {
        tracker.note("error", null, e.message());
        progress.pending = null;
        progress.turns++;
        progress.failures++;
        budget.measure();
        var exceeded = budget.exceeded(); // which is then why its calls to the model were refused
        if (exceeded.isPresent()) {
            tracker.end(exceeded.get().outcome(), exceeded.get().reason());
        } else if (e.kind() == PeerFailedException.Kind.LASTING
                || progress.failures >= MAX_FAILURES) {
            tracker.end(Outcome.AGENT_FAILED, e.message());
        } else {
            parts.control().rest(parts.restAfterFailure().multipliedBy(progress.failures));
        }
    }
}

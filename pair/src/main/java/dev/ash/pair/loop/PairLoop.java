package dev.ash.pair.loop;

import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Executes a run until it has an outcome. Every step is idempotent, so that it can be repeated
 * after a crash: turns have keys, messages have client ids, and commits contain the current state
 * of the clone. The next step is saved before it starts.
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
     * The collaborators of a loop.
     *
     * @param worker null in a review-only run
     * @param judge the peer that gives verdicts: the reviewer, or the worker in a single-peer run
     * @param retryDelay the delay after the first failure of a peer; it grows with each further one
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
            Duration retryDelay) {
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

    /**
     * Runs to the outcome. An interrupt without {@link RunControl#stop} leaves the run to be
     * resumed.
     */
    public Outcome run() throws InterruptedException {
        while (progress.outcome == null) {
            try {
                awaitResume();
                budget.startTimer();
                step();
            } catch (PeerFailedException e) {
                handleFailure(e);
            } catch (RepositoryException e) {
                tracker.endRun(Outcome.AGENT_FAILED, e.message());
            } catch (InterruptedException e) {
                if (!parts.control().isStopped()) {
                    throw e;
                }
                tracker.endRun(Outcome.CANCELLED, "Stopped by the user");
            } finally {
                budget.addElapsedTime();
            }
            if (progress.outcome != null) {
                questionStep.withdraw();
                work.saveRemainingWork();
            }
            parts.journal().save(progress);
        }
        return Objects.requireNonNull(progress.outcome);
    }

    private void awaitResume() throws InterruptedException {
        if (parts.control().isPaused()) {
            tracker.recordEvent("state", null, "paused");
            parts.control().awaitResume();
            tracker.recordEvent("state", null, "resumed");
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
            case KEEP -> work.save();
            case PROOF -> work.proof();
            case REVIEW -> review.work();
            case QUESTION -> questionStep.run();
            case OVER -> throw new IllegalStateException("a run in step OVER must have an outcome");
        }
    }

    private void begin() throws InterruptedException {
        parts.mailbox().postTask(spec.first(), spec.task());
        tracker.recordEvent("start", null, spec.task());
        parts.repositories()
                .startWarning()
                .ifPresent(text -> tracker.recordEvent("state", null, text));
        progress.round = 1;
        if (spec.mode() == Mode.REVIEW_ONLY) {
            progress.head = parts.repositories().head();
            progress.step = Step.REVIEW;
        } else {
            progress.step = spec.plan() ? Step.PLAN : Step.WORK;
        }
    }

    private void handleFailure(PeerFailedException e) throws InterruptedException {
        tracker.recordEvent("error", null, e.message());
        progress.pending = null;
        progress.turns++;
        progress.failures++;
        budget.updateUsage();
        var exceeded = budget.exceeded(); // the probable reason why its model calls were refused
        if (exceeded.isPresent()) {
            tracker.endRun(exceeded.get().outcome(), exceeded.get().reason());
        } else if (e.kind() == PeerFailedException.Kind.PERMANENT
                || progress.failures >= MAX_FAILURES) {
            tracker.endRun(Outcome.AGENT_FAILED, e.message());
        } else {
            parts.control().sleep(parts.retryDelay().multipliedBy(progress.failures));
        }
    }
}

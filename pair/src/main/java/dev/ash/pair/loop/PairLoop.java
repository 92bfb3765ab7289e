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
    private final Limits limits;
    private final Course course;
    private final WorkSteps work;
    private final ReviewSteps review;
    private final Deciding deciding;

    /**
     * What a loop works with.
     *
     * @param worker null where nobody works
     * @param judge whoever gives the verdict; the worker itself where nobody else does
     */
    public record Parts(
            @Nullable Peer worker,
            Peer judge,
            Workshop workshop,
            Mail mail,
            Journal journal,
            Stage stage,
            Steering steering,
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
        this.limits = new Limits(spec.budget(), progress, parts.peers());
        this.course = new Course(spec, progress, parts.journal());
        var asking = new Asking(spec, progress, parts, limits, course);
        var context =
                new StepContext(spec, progress, parts, new Prompts(spec), course, asking, limits);
        this.work = new WorkSteps(context);
        this.review = new ReviewSteps(context);
        this.deciding = new Deciding(spec, progress, course, parts.mail(), parts.arbiter(), limits);
    }

    /** An interrupt that was not meant to stop the run leaves it as it is, to go on later. */
    public Outcome run() throws InterruptedException {
        while (progress.outcome == null) {
            try {
                hold();
                limits.begin();
                step();
            } catch (PeerFailedException e) {
                failed(e);
            } catch (WorkshopException e) {
                course.end(Outcome.AGENT_FAILED, e.sentence());
            } catch (InterruptedException e) {
                if (!parts.steering().isStopped()) {
                    throw e;
                }
                course.end(Outcome.CANCELLED, "The person stopped it");
            } finally {
                limits.count();
            }
            if (progress.outcome != null) {
                deciding.withdraw();
                work.salvage();
            }
            parts.journal().keep(progress);
        }
        return Objects.requireNonNull(progress.outcome);
    }

    private void hold() throws InterruptedException {
        if (parts.steering().isPaused()) {
            course.note("state", null, "paused");
            parts.steering().awaitGo();
            course.note("state", null, "goes on");
        }
        if (parts.steering().isStopped()) {
            throw new InterruptedException();
        }
    }

    private void step() throws PeerFailedException, WorkshopException, InterruptedException {
        switch (progress.step) {
            case BEGIN -> begin();
            case PLAN -> work.plan();
            case PLAN_REVIEW -> review.plan();
            case WORK -> work.work();
            case KEEP -> work.keep();
            case PROOF -> work.proof();
            case REVIEW -> review.work();
            case QUESTION -> deciding.question();
            case OVER -> throw new IllegalStateException("a run that is over has an outcome");
        }
    }

    private void begin() throws InterruptedException {
        parts.mail().task(spec.first(), spec.task());
        course.note("start", null, spec.task());
        parts.workshop().warning().ifPresent(text -> course.note("state", null, text));
        progress.round = 1;
        if (spec.mode() == Mode.REVIEW_ONLY) {
            progress.head = parts.workshop().head();
            progress.step = Step.REVIEW;
        } else {
            progress.step = spec.plan() ? Step.PLAN : Step.WORK;
        }
    }

    private void failed(PeerFailedException e) throws InterruptedException {
        course.note("error", null, e.sentence());
        progress.pending = null;
        progress.turns++;
        progress.failures++;
        limits.measure();
        var exceeded = limits.exceeded(); // which is then why its calls to the model were refused
        if (exceeded.isPresent()) {
            course.end(exceeded.get().outcome(), exceeded.get().reason());
        } else if (e.kind() == PeerFailedException.Kind.LASTING
                || progress.failures >= MAX_FAILURES) {
            course.end(Outcome.AGENT_FAILED, e.sentence());
        } else {
            parts.steering().rest(parts.restAfterFailure().multipliedBy(progress.failures));
        }
    }
}

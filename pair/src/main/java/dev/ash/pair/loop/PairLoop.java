package dev.ash.pair.loop;

import dev.ash.pair.loop.Prompts.ReviewOf;
import dev.ash.pair.verdict.Verdict;
import dev.ash.pair.verdict.VerdictReader;
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
    private final Prompts prompts;
    private final Limits limits;
    private final Course course;
    private final Asking asking;
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
        this.prompts = new Prompts(spec);
        this.limits = new Limits(spec.budget(), progress, parts.peers());
        this.course = new Course(spec, progress, parts.journal());
        this.asking =
                new Asking(spec, progress, parts.mail(), parts.journal(), parts.stage(), limits);
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
                salvage();
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
            case PLAN -> plan();
            case PLAN_REVIEW -> planReview();
            case WORK -> work();
            case KEEP -> keep();
            case PROOF -> proof();
            case REVIEW -> review();
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

    private void plan() throws PeerFailedException, InterruptedException {
        var worker = worker();
        var reply =
                ask(
                        worker,
                        "plan",
                        null,
                        person -> prompts.plan(progress.round == 1, progress.feedback, person));
        if (reply == null) {
            return;
        }
        parts.mail().result(worker.name(), other(), reply.text(), course.at(), "plan");
        progress.plan = reply.text();
        progress.workerWords = reply.text();
        progress.feedback = "";
        progress.step = spec.mode() == Mode.PAIR ? Step.PLAN_REVIEW : Step.WORK;
    }

    private void planReview() throws PeerFailedException, InterruptedException {
        boolean first = progress.judgeTurns == 0;
        var reply =
                ask(
                        parts.judge(),
                        "plan-review",
                        null,
                        person -> prompts.planReview(first, progress.plan, person));
        if (reply == null) {
            return;
        }
        var verdict = verdict(reply, null, "plan-review");
        if (verdict.isPass()) {
            progress.approvePlan();
        } else {
            course.round(null, verdict, "the plan was not approved");
            progress.summary = verdict.summary();
            course.next(Step.PLAN, Prompts.failed(verdict.summary(), progress.ledger));
        }
    }

    private void work() throws PeerFailedException, InterruptedException {
        var worker = worker();
        boolean first = progress.workTurns == 0;
        var reply =
                ask(
                        worker,
                        "work",
                        null,
                        person ->
                                first
                                        ? prompts.firstWork(progress.feedback, person)
                                        : prompts.nextWork(progress.feedback, person));
        if (reply == null) {
            return;
        }
        progress.workTurns++;
        progress.workerWords = reply.text();
        progress.ledger.answer(reply.text());
        parts.mail().result(worker.name(), other(), reply.text(), course.at(), "work");
        progress.claimedDone =
                parts.mail().saidDone(worker.name(), progress.askedAt)
                        || lastLineIs(reply.text(), spec.doneSignal());
        if (progress.claimedDone) {
            parts.mail().done(worker.name(), course.at(), progress.askedAt);
            course.note("signal", worker.name(), RunSpec.DONE);
        }
        progress.step = Step.KEEP;
    }

    private void keep() throws WorkshopException, InterruptedException {
        var kept = parts.workshop().keep(progress.round, course.title());
        var before = progress.head == null ? parts.workshop().base() : progress.head;
        var commit = kept.commit().equals(before) ? null : kept.commit();
        kept(kept);
        if (commit != null) {
            course.note("commit", null, commit + "\n" + kept.stat());
        }
        if (!progress.claimedDone) {
            course.round(commit, null, null, "the worker was not done");
            course.next(Step.WORK, Prompts.notDone(spec.doneSignal()));
        } else if (kept.commit().equals(parts.workshop().base())) {
            course.round(commit, null, null, "nothing was changed");
            course.next(Step.WORK, Prompts.nothingChanged());
        } else {
            progress.step = spec.proof() == null ? Step.REVIEW : Step.PROOF;
        }
    }

    private void kept(Workshop.Kept kept) {
        progress.head = kept.commit();
        progress.stat = kept.stat();
        progress.branch = kept.branch();
    }

    private void proof() throws WorkshopException, InterruptedException {
        var command = Objects.requireNonNull(spec.proof());
        var proof = parts.workshop().prove(command, limits.turn());
        course.note("proof", null, "exit code " + proof.exitCode() + "\n" + proof.output());
        if (proof.green()) {
            progress.proven = progress.head;
            progress.step = Step.REVIEW;
        } else if (proof.timedOut() && limits.isTimeOver()) {
            course.end(Outcome.TIMEOUT, "The time of the run was over during the proof");
        } else {
            course.round(proof.exitCode(), null, "the proof failed");
            course.next(Step.WORK, Prompts.redProof(command, proof));
        }
    }

    private void review() throws PeerFailedException, WorkshopException, InterruptedException {
        var commit = Objects.requireNonNull(progress.head);
        var since = progress.reviewed == null ? parts.workshop().base() : progress.reviewed;
        var diff = parts.workshop().diff(since, commit, Prompts.maxDiffChars());
        boolean alone = spec.mode() == Mode.SINGLE;
        if (!alone) {
            parts.workshop().present(commit);
        }
        var work =
                new ReviewOf(
                        commit,
                        since,
                        progress.judgeTurns == 0,
                        spec.proof() != null,
                        progress.stat,
                        diff);
        var reply =
                ask(
                        parts.judge(),
                        "review",
                        commit,
                        person ->
                                alone
                                        ? prompts.selfCheck(commit, diff, person)
                                        : prompts.review(work, progress.ledger, person));
        if (reply == null) {
            return;
        }
        var verdict = verdict(reply, commit, "review");
        progress.reviewed = commit;
        course.round(
                spec.proof() == null ? null : (Integer) 0,
                verdict,
                Course.firstLine(verdict.summary()));
        if (verdict.isPass()) {
            course.end(Outcome.COMPLETED, "The work is approved");
        } else if (spec.mode() == Mode.REVIEW_ONLY) {
            course.end(Outcome.REJECTED, "The reviewer does not approve it");
        } else {
            progress.summary = verdict.summary();
            course.next(Step.WORK, Prompts.failed(verdict.summary(), progress.ledger));
        }
    }

    /** What the reviewer said by its tools or its text, told to everybody. */
    private Verdict verdict(Reply reply, @Nullable String commit, String step) {
        var judge = parts.judge().name();
        var given = parts.mail().verdicts(judge, progress.askedAt, commit);
        var verdict = VerdictReader.read(given, reply.text());
        progress.judgeTurns++;
        progress.ledger.rule(verdict, progress.round);
        if (given.isEmpty() || verdict.isPass() != given.getLast().isPass()) {
            var to =
                    spec.worker() == null || spec.worker().equals(judge)
                            ? ""
                            : spec.worker().value();
            parts.mail().verdict(judge, to, verdict, course.at(), step);
        }
        course.note("signal", judge, verdict.signal() + "\n" + verdict.summary());
        return verdict;
    }

    /** Null where the run ended instead. */
    private @Nullable Reply ask(
            Peer peer, String step, @Nullable String commit, Asking.Wording wording)
            throws PeerFailedException, InterruptedException {
        return switch (asking.ask(peer, step, commit, wording)) {
            case Asking.Over(var outcome, var reason) -> {
                course.end(outcome, reason);
                yield null;
            }
            case Asking.Answered(var reply) -> reply;
        };
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

    /** Whatever the worker did is kept, however the run ended. */
    private void salvage() {
        if (spec.worker() == null || progress.outcome == Outcome.COMPLETED) {
            return;
        }
        try {
            kept(parts.workshop().keep(progress.round, course.title()));
        } catch (WorkshopException e) {
            course.note("error", null, "What the worker left could not be kept: " + e.sentence());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private Peer worker() {
        return Objects.requireNonNull(parts.worker());
    }

    private String other() {
        return spec.reviewer() == null ? "" : spec.reviewer().value();
    }

    private static boolean lastLineIs(String text, String signal) {
        var lines = text.strip().lines().toList();
        return !lines.isEmpty() && lines.getLast().strip().equals(signal);
    }
}

package dev.ash.pair.loop;

import dev.ash.pair.PeerName;
import dev.ash.pair.loop.Prompts.ReviewOf;
import dev.ash.pair.verdict.Verdict;
import dev.ash.pair.verdict.VerdictReader;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
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
    private static final int DISPUTES = 2;

    private final RunSpec spec;
    private final Progress progress;
    private final Parts parts;
    private final Prompts prompts;
    private final Limits limits;
    private final Asking asking;

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
        this.asking =
                new Asking(spec, progress, parts.mail(), parts.journal(), parts.stage(), limits);
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
                end(Outcome.AGENT_FAILED, e.sentence());
            } catch (InterruptedException e) {
                if (!parts.steering().isStopped()) {
                    throw e;
                }
                end(Outcome.CANCELLED, "The person stopped it");
            } finally {
                limits.count();
            }
            if (progress.outcome != null) {
                withdraw();
                salvage();
            }
            parts.journal().keep(progress);
        }
        return Objects.requireNonNull(progress.outcome);
    }

    private void hold() throws InterruptedException {
        if (parts.steering().isPaused()) {
            note("state", null, "paused");
            parts.steering().awaitGo();
            note("state", null, "goes on");
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
            case QUESTION -> question();
            case OVER -> throw new IllegalStateException("a run that is over has an outcome");
        }
    }

    private void begin() {
        parts.mail().task(spec.first(), spec.task());
        note("start", null, spec.task());
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
        parts.mail().result(worker.name(), other(), reply.text(), at(), "plan");
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
            planApproved();
        } else {
            round(null, verdict, "the plan was not approved");
            progress.summary = verdict.summary();
            next(Step.PLAN, Prompts.failed(verdict.summary(), progress.ledger));
        }
    }

    private void planApproved() {
        progress.feedback = "Your plan is approved: work by it.";
        progress.step = Step.WORK;
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
        parts.mail().result(worker.name(), other(), reply.text(), at(), "work");
        progress.claimedDone =
                parts.mail().saidDone(worker.name(), progress.askedAt)
                        || lastLineIs(reply.text(), spec.doneSignal());
        if (progress.claimedDone) {
            parts.mail().done(worker.name(), at(), progress.askedAt);
            note("signal", worker.name(), RunSpec.DONE);
        }
        progress.step = Step.KEEP;
    }

    private void keep() throws WorkshopException, InterruptedException {
        var kept = parts.workshop().keep(progress.round, title());
        kept(kept);
        note("commit", null, kept.commit() + "\n" + kept.stat());
        if (!progress.claimedDone) {
            round(null, null, "the worker was not done");
            next(Step.WORK, Prompts.notDone(spec.doneSignal()));
        } else if (kept.commit().equals(parts.workshop().base())) {
            round(null, null, "nothing was changed");
            next(Step.WORK, Prompts.nothingChanged());
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
        note("proof", null, "exit code " + proof.exitCode() + "\n" + proof.output());
        if (proof.green()) {
            progress.proven = progress.head;
            progress.step = Step.REVIEW;
        } else if (proof.timedOut() && limits.isTimeOver()) {
            end(Outcome.TIMEOUT, "The time of the run was over during the proof");
        } else {
            round(proof.exitCode(), null, "the proof failed");
            next(Step.WORK, Prompts.redProof(command, proof));
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
        round(spec.proof() == null ? null : (Integer) 0, verdict, firstLine(verdict.summary()));
        if (verdict.isPass()) {
            end(Outcome.COMPLETED, "The work is approved");
        } else if (spec.mode() == Mode.REVIEW_ONLY) {
            end(Outcome.REJECTED, "The reviewer does not approve it");
        } else {
            progress.summary = verdict.summary();
            next(Step.WORK, Prompts.failed(verdict.summary(), progress.ledger));
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
            parts.mail().verdict(judge, to, verdict, at(), step);
        }
        note("signal", judge, verdict.signal() + "\n" + verdict.summary());
        return verdict;
    }

    private void question() throws InterruptedException {
        var text = Objects.requireNonNull(progress.question);
        parts.mail().question(text, at());
        note("question", null, text);
        var answer =
                parts.arbiter().decide(Disagreement.of(spec, progress), limits.left()).orElse(null);
        if (answer == null) {
            end(Outcome.STALEMATE, "The peers did not agree, and nobody decided in time");
            return;
        }
        progress.question = null;
        progress.still = 0;
        progress.standing = "";
        boolean aboutPlan = spec.plan() && progress.workTurns == 0;
        progress.step = aboutPlan ? Step.PLAN : Step.WORK; // also of a run that goes on later
        var words = answer.words();
        note(
                "answer",
                null,
                "%s, by %s%s"
                        .formatted(
                                answer.decision().name().toLowerCase(Locale.ROOT),
                                answer.by(),
                                words.isBlank() ? "" : "\n" + words));
        switch (answer.decision()) {
            case REJECT -> end(Outcome.REJECTED, reason("The person rejected the work", words));
            case GO_ON -> {
                progress.ledger.forgetDisputes();
                if (!words.isBlank()) {
                    parts.mail().human(words, at());
                }
            }
            case ACCEPT -> {
                if (aboutPlan) {
                    planApproved();
                } else {
                    accept(words);
                }
            }
        }
    }

    private void accept(String words) {
        if (spec.proof() != null && !Objects.equals(progress.proven, progress.head)) {
            progress.feedback +=
                    "\nThe person accepts the work, but its proof is not green: see to that.";
            return;
        }
        progress.ledger.dismissOpen(words.isBlank() ? "the person found for the worker" : words);
        end(Outcome.COMPLETED, reason("The person accepted the work", words));
    }

    private static String reason(String what, String words) {
        return words.isBlank() ? what : what + ": " + words;
    }

    /** Ends a round; the next begins unless nothing moves, or there were enough. */
    private void next(Step step, String feedback) {
        var standing = step + " " + progress.head + " " + progress.ledger.openIds();
        progress.still = standing.equals(progress.standing) ? progress.still + 1 : 1;
        progress.standing = standing;
        progress.feedback = feedback;
        progress.step = step;
        boolean stuck = progress.still >= spec.budget().stalemateRounds();
        boolean disputed =
                progress.ledger.open().stream().anyMatch(entry -> entry.disputes() >= DISPUTES);
        if (progress.round >= spec.budget().rounds()) {
            end(
                    Outcome.MAX_ROUNDS,
                    "It was not approved within %d rounds".formatted(progress.round));
        } else if (stuck && !spec.asksPerson()) {
            end(
                    Outcome.STALEMATE,
                    "Nothing moved for %d rounds: the same commit, the same findings"
                            .formatted(progress.still));
        } else {
            progress.round++;
            note("iteration", null, Integer.toString(progress.round));
            if (spec.asksPerson() && (stuck || disputed)) {
                progress.questions++;
                progress.question = Disagreement.of(spec, progress).text();
                progress.step = Step.QUESTION;
            }
        }
    }

    /** Null where the run ended instead. */
    private @Nullable Reply ask(
            Peer peer, String step, @Nullable String commit, Asking.Wording wording)
            throws PeerFailedException, InterruptedException {
        return switch (asking.ask(peer, step, commit, wording)) {
            case Asking.Over(var outcome, var reason) -> {
                end(outcome, reason);
                yield null;
            }
            case Asking.Answered(var reply) -> reply;
        };
    }

    private void failed(PeerFailedException e) throws InterruptedException {
        note("error", null, e.sentence());
        progress.pending = null;
        progress.turns++;
        progress.failures++;
        limits.measure();
        var exceeded = limits.exceeded(); // which is then why its calls to the model were refused
        if (exceeded.isPresent()) {
            end(exceeded.get().outcome(), exceeded.get().reason());
        } else if (e.kind() == PeerFailedException.Kind.LASTING
                || progress.failures >= MAX_FAILURES) {
            end(Outcome.AGENT_FAILED, e.sentence());
        } else {
            parts.steering().rest(parts.restAfterFailure().multipliedBy(progress.failures));
        }
    }

    private void withdraw() {
        if (progress.question != null) {
            parts.arbiter().withdraw(progress.questions);
        }
    }

    /** Whatever the worker did is kept, however the run ended. */
    private void salvage() {
        if (spec.worker() == null || progress.outcome == Outcome.COMPLETED) {
            return;
        }
        try {
            kept(parts.workshop().keep(progress.round, title()));
        } catch (WorkshopException e) {
            note("error", null, "What the worker left could not be kept: " + e.sentence());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void end(Outcome outcome, String reason) {
        progress.outcome = outcome;
        progress.reason = reason;
        note("end", null, outcome.wire() + ": " + reason);
    }

    private void round(@Nullable Integer proof, @Nullable Verdict verdict, String note) {
        progress.rounds.add(
                new Round(
                        progress.round,
                        progress.head,
                        proof,
                        verdict == null ? null : verdict.signal(),
                        note));
    }

    private Peer worker() {
        return Objects.requireNonNull(parts.worker());
    }

    private String other() {
        return spec.reviewer() == null ? "" : spec.reviewer().value();
    }

    private String title() {
        return "Round %d: %s".formatted(progress.round, firstLine(spec.task()));
    }

    private void note(String type, @Nullable PeerName peer, String content) {
        parts.journal().note(new Journal.Event(type, progress.round, peer, content));
    }

    private Mail.At at() {
        return new Mail.At(progress.round, progress.turns);
    }

    private static boolean lastLineIs(String text, String signal) {
        var lines = text.strip().lines().toList();
        return !lines.isEmpty() && lines.getLast().strip().equals(signal);
    }

    private static String firstLine(String text) {
        var line = text.strip().lines().findFirst().orElse("");
        int most = 72;
        if (line.length() <= most) {
            return line;
        }
        int end = Character.isHighSurrogate(line.charAt(most - 1)) ? most - 1 : most;
        return line.substring(0, end) + "…";
    }
}

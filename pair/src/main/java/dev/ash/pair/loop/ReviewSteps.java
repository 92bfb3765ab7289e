package dev.ash.pair.loop;

import dev.ash.pair.loop.Prompts.ReviewTarget;
import dev.ash.pair.verdict.Verdict;
import dev.ash.pair.verdict.VerdictReader;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** The steps of the reviewer: reviews of the plan and of the work. */
final class ReviewSteps {
    private final RunSpec spec;
    private final Progress progress;
    private final PairLoop.Parts parts;
    private final Prompts prompts;
    private final RoundTracker tracker;
    private final PeerTurns peerTurns;

    ReviewSteps(StepContext context) {
        this.spec = context.spec();
        this.progress = context.progress();
        this.parts = context.parts();
        this.prompts = context.prompts();
        this.tracker = context.tracker();
        this.peerTurns = context.peerTurns();
    }

    void plan() throws PeerFailedException, InterruptedException {
        boolean first = progress.judgeTurns == 0;
        var reply =
                peerTurns.run(
                        parts.judge(),
                        "plan-review",
                        null,
                        userMessages -> prompts.planReview(first, progress.plan, userMessages));
        if (reply.isEmpty()) {
            return;
        }
        var verdict = applyVerdict(reply.get(), null, "plan-review");
        if (verdict.isPass()) {
            progress.approvePlan();
        } else {
            tracker.recordRound(null, verdict, "the plan was not approved");
            progress.reviewSummary = verdict.summary();
            tracker.nextRound(Step.PLAN, Prompts.failed(verdict.summary(), progress.ledger));
        }
    }

    void work() throws PeerFailedException, RepositoryException, InterruptedException {
        var commit = Objects.requireNonNull(progress.head);
        var since = progress.reviewed == null ? parts.repositories().base() : progress.reviewed;
        var diff = parts.repositories().diff(since, commit, Prompts.maxDiffChars());
        boolean single = spec.mode() == Mode.SINGLE;
        if (!single) {
            parts.repositories().checkOutForReview(commit);
        }
        var work =
                new ReviewTarget(
                        commit,
                        since,
                        progress.judgeTurns == 0,
                        spec.proof() != null,
                        progress.stat,
                        diff);
        var reply =
                peerTurns.run(
                        parts.judge(),
                        "review",
                        commit,
                        userMessages ->
                                single
                                        ? prompts.selfCheck(commit, diff, userMessages)
                                        : prompts.review(work, progress.ledger, userMessages));
        if (reply.isEmpty()) {
            return;
        }
        var verdict = applyVerdict(reply.get(), commit, "review");
        progress.reviewed = commit;
        tracker.recordRound(
                spec.proof() == null ? null : (Integer) 0,
                verdict,
                RoundTracker.firstLine(verdict.summary()));
        if (verdict.isPass()) {
            tracker.endRun(Outcome.COMPLETED, "The work is approved");
        } else if (spec.mode() == Mode.REVIEW_ONLY) {
            tracker.endRun(Outcome.REJECTED, "The reviewer rejected the work");
        } else {
            progress.reviewSummary = verdict.summary();
            tracker.nextRound(Step.WORK, Prompts.failed(verdict.summary(), progress.ledger));
        }
    }

    /**
     * Determines the verdict of a turn, applies it, and posts it if it was not submitted by tool.
     */
    private Verdict applyVerdict(Reply reply, @Nullable String commit, String step) {
        var judge = parts.judge().name();
        var submitted = parts.mailbox().verdicts(judge, progress.turnStartSeq, commit);
        var verdict = VerdictReader.read(submitted, reply.text());
        progress.judgeTurns++;
        progress.ledger.applyVerdict(verdict, progress.round);
        if (submitted.isEmpty() || verdict.isPass() != submitted.getLast().isPass()) {
            var to =
                    spec.worker() == null || spec.worker().equals(judge)
                            ? ""
                            : spec.worker().value();
            parts.mailbox().postVerdict(judge, to, verdict, tracker.position(), step);
        }
        tracker.recordEvent("signal", judge, verdict.signal() + "\n" + verdict.summary());
        return verdict;
    }
}

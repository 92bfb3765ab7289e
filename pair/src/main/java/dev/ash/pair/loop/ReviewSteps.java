package dev.ash.pair.loop;

import dev.ash.pair.loop.Prompts.ReviewOf;
import dev.ash.pair.verdict.Verdict;
import dev.ash.pair.verdict.VerdictReader;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** What the reviewer does: its verdicts on the plan and on the work. */
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
                peerTurns.ask(
                        parts.judge(),
                        "plan-review",
                        null,
                        person -> prompts.planReview(first, progress.plan, person));
        if (reply.isEmpty()) {
            return;
        }
        var verdict = verdict(reply.get(), null, "plan-review");
        if (verdict.isPass()) {
            progress.approvePlan();
        } else {
            tracker.round(null, verdict, "the plan was not approved");
            progress.summary = verdict.summary();
            tracker.next(Step.PLAN, Prompts.failed(verdict.summary(), progress.ledger));
        }
    }

    void work() throws PeerFailedException, RepositoryException, InterruptedException {
        var commit = Objects.requireNonNull(progress.head);
        var since = progress.reviewed == null ? parts.repositories().base() : progress.reviewed;
        var diff = parts.repositories().diff(since, commit, Prompts.maxDiffChars());
        boolean alone = spec.mode() == Mode.SINGLE;
        if (!alone) {
            parts.repositories().present(commit);
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
                peerTurns.ask(
                        parts.judge(),
                        "review",
                        commit,
                        person ->
                                alone
                                        ? prompts.selfCheck(commit, diff, person)
                                        : prompts.review(work, progress.ledger, person));
        if (reply.isEmpty()) {
            return;
        }
        var verdict = verdict(reply.get(), commit, "review");
        progress.reviewed = commit;
        tracker.round(
                spec.proof() == null ? null : (Integer) 0,
                verdict,
                RoundTracker.firstLine(verdict.summary()));
        if (verdict.isPass()) {
            tracker.end(Outcome.COMPLETED, "The work is approved");
        } else if (spec.mode() == Mode.REVIEW_ONLY) {
            tracker.end(Outcome.REJECTED, "The reviewer does not approve it");
        } else {
            progress.summary = verdict.summary();
            tracker.next(Step.WORK, Prompts.failed(verdict.summary(), progress.ledger));
        }
    }

    /** What the reviewer said by its tools or its text, told to everybody. */
    private Verdict verdict(Reply reply, @Nullable String commit, String step) {
        var judge = parts.judge().name();
        var given = parts.mailbox().verdicts(judge, progress.askedAt, commit);
        var verdict = VerdictReader.read(given, reply.text());
        progress.judgeTurns++;
        progress.ledger.rule(verdict, progress.round);
        if (given.isEmpty() || verdict.isPass() != given.getLast().isPass()) {
            var to =
                    spec.worker() == null || spec.worker().equals(judge)
                            ? ""
                            : spec.worker().value();
            parts.mailbox().verdict(judge, to, verdict, tracker.at(), step);
        }
        tracker.note("signal", judge, verdict.signal() + "\n" + verdict.summary());
        return verdict;
    }
}

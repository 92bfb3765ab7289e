package dev.ash.pair.loop;

import java.util.Locale;
import java.util.Objects;

/** Asks the user to decide a disagreement and applies the decision. */
final class QuestionStep {
    private final RunSpec spec;
    private final Progress progress;
    private final RoundTracker tracker;
    private final LoopMailbox mailbox;
    private final Arbiter arbiter;
    private final BudgetTracker budget;

    QuestionStep(
            RunSpec spec,
            Progress progress,
            RoundTracker tracker,
            LoopMailbox mailbox,
            Arbiter arbiter,
            BudgetTracker budget) {
        this.spec = spec;
        this.progress = progress;
        this.tracker = tracker;
        this.mailbox = mailbox;
        this.arbiter = arbiter;
        this.budget = budget;
    }

    /** Asks, waits for the answer, and applies it. */
    void run() throws InterruptedException {
        var text = Objects.requireNonNull(progress.question);
        mailbox.postQuestion(text, tracker.position());
        tracker.recordEvent("question", null, text);
        var answer =
                arbiter.decide(Disagreement.of(spec, progress), budget.remainingTime())
                        .orElse(null);
        if (answer == null) {
            tracker.endRun(
                    Outcome.STALEMATE,
                    "The peers disagreed, and the user did not decide within the time limit");
            return;
        }
        progress.question = null;
        progress.unchangedRounds = 0;
        progress.roundState = "";
        boolean aboutPlan = spec.plan() && progress.workTurns == 0;
        progress.step =
                aboutPlan
                        ? Step.PLAN
                        : Step.WORK; // set also for a rejected run, which can be resumed
        var comment = answer.comment();
        tracker.recordEvent(
                "answer",
                null,
                "%s, by %s%s"
                        .formatted(
                                answer.decision().name().toLowerCase(Locale.ROOT),
                                answer.by(),
                                comment.isBlank() ? "" : "\n" + comment));
        switch (answer.decision()) {
            case REJECT ->
                    tracker.endRun(Outcome.REJECTED, reason("Rejected by the user", comment));
            case GO_ON -> {
                progress.ledger.resetDisputes();
                if (!comment.isBlank()) {
                    mailbox.postUserAnswer(comment, tracker.position());
                }
            }
            case ACCEPT -> {
                if (aboutPlan) {
                    progress.approvePlan();
                } else {
                    accept(comment);
                }
            }
        }
    }

    private void accept(String comment) {
        if (spec.proof() != null && !Objects.equals(progress.proven, progress.head)) {
            progress.feedback +=
                    "\nThe user accepts the work, but its proof does not succeed: fix that.";
            return;
        }
        progress.ledger.rejectOpen(comment.isBlank() ? "accepted by the user" : comment);
        tracker.endRun(Outcome.COMPLETED, reason("Accepted by the user", comment));
    }

    private static String reason(String text, String comment) {
        return comment.isBlank() ? text : text + ": " + comment;
    }

    /** Cancels the open question of a run that has ended. */
    void withdraw() {
        if (progress.question != null) {
            arbiter.withdraw(progress.questions);
        }
    }
}

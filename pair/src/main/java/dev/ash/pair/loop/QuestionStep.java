package dev.ash.pair.loop;

import java.util.Locale;
import java.util.Objects;

/** What becomes of a run by what a person decides. */
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

    /** Asks, waits, and does what the person says. */
    void question() throws InterruptedException {
        var text = Objects.requireNonNull(progress.question);
        mailbox.question(text, tracker.at());
        tracker.note("question", null, text);
        var answer = arbiter.decide(Disagreement.of(spec, progress), budget.left()).orElse(null);
        if (answer == null) {
            tracker.end(Outcome.STALEMATE, "The peers did not agree, and nobody decided in time");
            return;
        }
        progress.question = null;
        progress.still = 0;
        progress.standing = "";
        boolean aboutPlan = spec.plan() && progress.workTurns == 0;
        progress.step = aboutPlan ? Step.PLAN : Step.WORK; // also of a run that goes on later
        var words = answer.words();
        tracker.note(
                "answer",
                null,
                "%s, by %s%s"
                        .formatted(
                                answer.decision().name().toLowerCase(Locale.ROOT),
                                answer.by(),
                                words.isBlank() ? "" : "\n" + words));
        switch (answer.decision()) {
            case REJECT ->
                    tracker.end(Outcome.REJECTED, reason("The person rejected the work", words));
            case GO_ON -> {
                progress.ledger.forgetDisputes();
                if (!words.isBlank()) {
                    mailbox.human(words, tracker.at());
                }
            }
            case ACCEPT -> {
                if (aboutPlan) {
                    progress.approvePlan();
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
        tracker.end(Outcome.COMPLETED, reason("The person accepted the work", words));
    }

    private static String reason(String what, String words) {
        return words.isBlank() ? what : what + ": " + words;
    }

    /** The run is over, and its question with it. */
    void withdraw() {
        if (progress.question != null) {
            arbiter.withdraw(progress.questions);
        }
    }
}

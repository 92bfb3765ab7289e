package dev.ash.pair.loop;

import java.util.Locale;
import java.util.Objects;

/** What becomes of a run by what a person decides. */
final class Deciding {
    private final RunSpec spec;
    private final Progress progress;
    private final Course course;
    private final Mail mail;
    private final Arbiter arbiter;
    private final Limits limits;

    Deciding(
            RunSpec spec,
            Progress progress,
            Course course,
            Mail mail,
            Arbiter arbiter,
            Limits limits) {
        this.spec = spec;
        this.progress = progress;
        this.course = course;
        this.mail = mail;
        this.arbiter = arbiter;
        this.limits = limits;
    }

    /** Asks, waits, and does what the person says. */
    void question() throws InterruptedException {
        var text = Objects.requireNonNull(progress.question);
        mail.question(text, course.at());
        course.note("question", null, text);
        var answer = arbiter.decide(Disagreement.of(spec, progress), limits.left()).orElse(null);
        if (answer == null) {
            course.end(Outcome.STALEMATE, "The peers did not agree, and nobody decided in time");
            return;
        }
        progress.question = null;
        progress.still = 0;
        progress.standing = "";
        boolean aboutPlan = spec.plan() && progress.workTurns == 0;
        progress.step = aboutPlan ? Step.PLAN : Step.WORK; // also of a run that goes on later
        var words = answer.words();
        course.note(
                "answer",
                null,
                "%s, by %s%s"
                        .formatted(
                                answer.decision().name().toLowerCase(Locale.ROOT),
                                answer.by(),
                                words.isBlank() ? "" : "\n" + words));
        switch (answer.decision()) {
            case REJECT ->
                    course.end(Outcome.REJECTED, reason("The person rejected the work", words));
            case GO_ON -> {
                progress.ledger.forgetDisputes();
                if (!words.isBlank()) {
                    mail.human(words, course.at());
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
        course.end(Outcome.COMPLETED, reason("The person accepted the work", words));
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

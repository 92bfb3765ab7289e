package dev.ash.pair.loop;

import java.util.Objects;

/** What the worker does: its plan, its work, the commit of it and the proof. */
final class WorkSteps {
    private final RunSpec spec;
    private final Progress progress;
    private final PairLoop.Parts parts;
    private final Prompts prompts;
    private final Course course;
    private final Asking asking;
    private final Limits limits;

    WorkSteps(StepContext context) {
        this.spec = context.spec();
        this.progress = context.progress();
        this.parts = context.parts();
        this.prompts = context.prompts();
        this.course = context.course();
        this.asking = context.asking();
        this.limits = context.limits();
    }

    void plan() throws PeerFailedException, InterruptedException {
        var worker = worker();
        var reply =
                asking.ask(
                        worker,
                        "plan",
                        null,
                        person -> prompts.plan(progress.round == 1, progress.feedback, person));
        if (reply.isEmpty()) {
            return;
        }
        parts.mail().result(worker.name(), other(), reply.get().text(), course.at(), "plan");
        progress.plan = reply.get().text();
        progress.workerWords = reply.get().text();
        progress.feedback = "";
        progress.step = spec.mode() == Mode.PAIR ? Step.PLAN_REVIEW : Step.WORK;
    }

    void work() throws PeerFailedException, InterruptedException {
        var worker = worker();
        boolean first = progress.workTurns == 0;
        var reply =
                asking.ask(
                        worker,
                        "work",
                        null,
                        person ->
                                first
                                        ? prompts.firstWork(progress.feedback, person)
                                        : prompts.nextWork(progress.feedback, person));
        if (reply.isEmpty()) {
            return;
        }
        progress.workTurns++;
        progress.workerWords = reply.get().text();
        progress.ledger.answer(reply.get().text());
        parts.mail().result(worker.name(), other(), reply.get().text(), course.at(), "work");
        progress.claimedDone =
                parts.mail().saidDone(worker.name(), progress.askedAt)
                        || lastLineIs(reply.get().text(), spec.doneSignal());
        if (progress.claimedDone) {
            parts.mail().done(worker.name(), course.at(), progress.askedAt);
            course.note("signal", worker.name(), RunSpec.DONE);
        }
        progress.step = Step.KEEP;
    }

    void keep() throws WorkshopException, InterruptedException {
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

    void proof() throws WorkshopException, InterruptedException {
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

    /** Whatever the worker did is kept, however the run ended. */
    void salvage() {
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

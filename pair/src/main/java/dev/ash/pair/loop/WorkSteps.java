package dev.ash.pair.loop;

import java.util.Objects;

/** The steps of the worker: its plan, its work, the commit and the proof. */
final class WorkSteps {
    private final RunSpec spec;
    private final Progress progress;
    private final PairLoop.Parts parts;
    private final Prompts prompts;
    private final RoundTracker tracker;
    private final PeerTurns peerTurns;
    private final BudgetTracker budget;

    WorkSteps(StepContext context) {
        this.spec = context.spec();
        this.progress = context.progress();
        this.parts = context.parts();
        this.prompts = context.prompts();
        this.tracker = context.tracker();
        this.peerTurns = context.peerTurns();
        this.budget = context.budget();
    }

    void plan() throws PeerFailedException, InterruptedException {
        var worker = worker();
        var reply =
                peerTurns.run(
                        worker,
                        "plan",
                        null,
                        userMessages ->
                                prompts.plan(progress.round == 1, progress.feedback, userMessages));
        if (reply.isEmpty()) {
            return;
        }
        parts.mailbox()
                .postResult(
                        worker.name(),
                        reviewerName(),
                        reply.get().text(),
                        tracker.position(),
                        "plan");
        progress.plan = reply.get().text();
        progress.workerText = reply.get().text();
        progress.feedback = "";
        progress.step = spec.mode() == Mode.PAIR ? Step.PLAN_REVIEW : Step.WORK;
    }

    void work() throws PeerFailedException, InterruptedException {
        var worker = worker();
        boolean first = progress.workTurns == 0;
        var reply =
                peerTurns.run(
                        worker,
                        "work",
                        null,
                        userMessages ->
                                first
                                        ? prompts.firstWork(progress.feedback, userMessages)
                                        : prompts.nextWork(progress.feedback, userMessages));
        if (reply.isEmpty()) {
            return;
        }
        progress.workTurns++;
        progress.workerText = reply.get().text();
        progress.ledger.recordAnswers(reply.get().text());
        parts.mailbox()
                .postResult(
                        worker.name(),
                        reviewerName(),
                        reply.get().text(),
                        tracker.position(),
                        "work");
        progress.claimedDone =
                parts.mailbox().hasDoneSignal(worker.name(), progress.turnStartSeq)
                        || lastLineIs(reply.get().text(), spec.doneSignal());
        if (progress.claimedDone) {
            parts.mailbox().postDone(worker.name(), tracker.position(), progress.turnStartSeq);
            tracker.recordEvent("signal", worker.name(), RunSpec.DONE);
        }
        progress.step = Step.KEEP;
    }

    void save() throws RepositoryException, InterruptedException {
        var saved = parts.repositories().saveWork(progress.round, tracker.commitMessage());
        var before = progress.head == null ? parts.repositories().base() : progress.head;
        var commit = saved.commit().equals(before) ? null : saved.commit();
        recordSaved(saved);
        if (commit != null) {
            tracker.recordEvent("commit", null, commit + "\n" + saved.stat());
        }
        if (!progress.claimedDone) {
            tracker.recordRound(commit, null, null, "the worker did not signal completion");
            tracker.nextRound(Step.WORK, Prompts.notDone(spec.doneSignal()));
        } else if (saved.commit().equals(parts.repositories().base())) {
            tracker.recordRound(commit, null, null, "no changes");
            tracker.nextRound(Step.WORK, Prompts.nothingChanged());
        } else {
            progress.step = spec.proof() == null ? Step.REVIEW : Step.PROOF;
        }
    }

    private void recordSaved(RunRepositories.SavedWork saved) {
        progress.head = saved.commit();
        progress.stat = saved.stat();
        progress.branch = saved.branch();
    }

    void proof() throws RepositoryException, InterruptedException {
        var command = Objects.requireNonNull(spec.proof());
        var proof = parts.repositories().runProof(command, budget.turnTimeout());
        tracker.recordEvent("proof", null, "exit code " + proof.exitCode() + "\n" + proof.output());
        if (proof.succeeded()) {
            progress.proven = progress.head;
            progress.step = Step.REVIEW;
        } else if (proof.timedOut() && budget.isTimeOver()) {
            tracker.endRun(Outcome.TIMEOUT, "The run reached its time limit during the proof");
        } else {
            tracker.recordRound(proof.exitCode(), null, "the proof failed");
            tracker.nextRound(Step.WORK, Prompts.proofFailed(command, proof));
        }
    }

    /** Saves the uncommitted work of a run that ended without approval. */
    void saveRemainingWork() {
        if (spec.worker() == null || progress.outcome == Outcome.COMPLETED) {
            return;
        }
        try {
            recordSaved(parts.repositories().saveWork(progress.round, tracker.commitMessage()));
        } catch (RepositoryException e) {
            tracker.recordEvent("error", null, "Cannot save the remaining work: " + e.message());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private Peer worker() {
        return Objects.requireNonNull(parts.worker());
    }

    private String reviewerName() {
        return spec.reviewer() == null ? "" : spec.reviewer().value();
    }

    private static boolean lastLineIs(String text, String signal) {
        var lines = text.strip().lines().toList();
        return !lines.isEmpty() && lines.getLast().strip().equals(signal);
    }
}

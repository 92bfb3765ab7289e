package dev.ash.pair.loop;

import java.util.Objects;

/** What the worker does: its plan, its work, the commit of it and the proof. */
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
                peerTurns.ask(
                        worker,
                        "plan",
                        null,
                        person -> prompts.plan(progress.round == 1, progress.feedback, person));
        if (reply.isEmpty()) {
            return;
        }
        parts.mailbox().result(worker.name(), other(), reply.get().text(), tracker.at(), "plan");
        progress.plan = reply.get().text();
        progress.workerWords = reply.get().text();
        progress.feedback = "";
        progress.step = spec.mode() == Mode.PAIR ? Step.PLAN_REVIEW : Step.WORK;
    }

    void work() throws PeerFailedException, InterruptedException {
        var worker = worker();
        boolean first = progress.workTurns == 0;
        var reply =
                peerTurns.ask(
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
        parts.mailbox().result(worker.name(), other(), reply.get().text(), tracker.at(), "work");
        progress.claimedDone =
                parts.mailbox().saidDone(worker.name(), progress.askedAt)
                        || lastLineIs(reply.get().text(), spec.doneSignal());
        if (progress.claimedDone) {
            parts.mailbox().done(worker.name(), tracker.at(), progress.askedAt);
            tracker.note("signal", worker.name(), RunSpec.DONE);
        }
        progress.step = Step.KEEP;
    }

    void keep() throws RepositoryException, InterruptedException {
        var kept = parts.repositories().keep(progress.round, tracker.title());
        var before = progress.head == null ? parts.repositories().base() : progress.head;
        var commit = kept.commit().equals(before) ? null : kept.commit();
        kept(kept);
        if (commit != null) {
            tracker.note("commit", null, commit + "\n" + kept.stat());
        }
        if (!progress.claimedDone) {
            tracker.round(commit, null, null, "the worker was not done");
            tracker.next(Step.WORK, Prompts.notDone(spec.doneSignal()));
        } else if (kept.commit().equals(parts.repositories().base())) {
            tracker.round(commit, null, null, "nothing was changed");
            tracker.next(Step.WORK, Prompts.nothingChanged());
        } else {
            progress.step = spec.proof() == null ? Step.REVIEW : Step.PROOF;
        }
    }

    private void kept(RunRepositories.Kept kept) {
        progress.head = kept.commit();
        progress.stat = kept.stat();
        progress.branch = kept.branch();
    }

    void proof() throws RepositoryException, InterruptedException {
        var command = Objects.requireNonNull(spec.proof());
        var proof = parts.repositories().prove(command, budget.turn());
        tracker.note("proof", null, "exit code " + proof.exitCode() + "\n" + proof.output());
        if (proof.green()) {
            progress.proven = progress.head;
            progress.step = Step.REVIEW;
        } else if (proof.timedOut() && budget.isTimeOver()) {
            tracker.end(Outcome.TIMEOUT, "The time of the run was over during the proof");
        } else {
            tracker.round(proof.exitCode(), null, "the proof failed");
            tracker.next(Step.WORK, Prompts.redProof(command, proof));
        }
    }

    /** Whatever the worker did is kept, however the run ended. */
    void salvage() {
        if (spec.worker() == null || progress.outcome == Outcome.COMPLETED) {
            return;
        }
        try {
            kept(parts.repositories().keep(progress.round, tracker.title()));
        } catch (RepositoryException e) {
            tracker.note("error", null, "What the worker left could not be kept: " + e.message());
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

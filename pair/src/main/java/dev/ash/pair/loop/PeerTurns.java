package dev.ash.pair.loop;

import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Runs turns of peers within the budget of the run. Saves each prompt under a unique key before
 * sending it, so that the same turn is resumed after a crash.
 */
final class PeerTurns {
    private final RunSpec spec;
    private final Progress progress;
    private final LoopMailbox mailbox;
    private final Journal journal;
    private final TurnListener turnListener;
    private final BudgetTracker budget;
    private final RoundTracker tracker;

    PeerTurns(
            RunSpec spec,
            Progress progress,
            PairLoop.Parts parts,
            BudgetTracker budget,
            RoundTracker tracker) {
        this.spec = spec;
        this.progress = progress;
        this.mailbox = parts.mailbox();
        this.journal = parts.journal();
        this.turnListener = parts.turnListener();
        this.budget = budget;
        this.tracker = tracker;
    }

    /** Builds a prompt that includes the user's new messages. */
    interface PromptBuilder {
        String build(String userMessages);
    }

    sealed interface Result {}

    private record Completed(Reply reply) implements Result {}

    record RunEnd(Outcome outcome, String reason) implements Result {}

    /**
     * Runs one turn; empty if the run ended instead.
     *
     * @param commit the commit under review; null unless the turn must give a verdict on one
     */
    Optional<Reply> run(Peer peer, String step, @Nullable String commit, PromptBuilder prompts)
            throws PeerFailedException, InterruptedException {
        return switch (runTurn(peer, step, commit, prompts)) {
            case RunEnd(var outcome, var reason) -> {
                tracker.endRun(outcome, reason);
                yield Optional.empty();
            }
            case Completed(var reply) -> Optional.of(reply);
        };
    }

    private Result runTurn(Peer peer, String step, @Nullable String commit, PromptBuilder prompts)
            throws PeerFailedException, InterruptedException {
        var exceeded = budget.exceeded();
        if (exceeded.isPresent()) {
            return exceeded.get();
        }
        if (progress.pending == null) {
            prepare(peer, step, prompts);
        }
        var pending = Objects.requireNonNull(progress.pending);
        turnListener.turnStarts(progress.round, progress.turns, commit);
        var reply = peer.runTurn(pending.key(), pending.prompt(), budget.turnTimeout());
        budget.updateUsage();
        progress.pending = null;
        progress.turns++;
        progress.failures = 0;
        progress.turnStartSeq = pending.mailboxSeq();
        journal.record(new Journal.Event("result", progress.round, peer.name(), reply.text()));
        return reply.end() == Reply.End.TIMED_OUT ? timedOut(peer) : new Completed(reply);
    }

    private RunEnd timedOut(Peer peer) {
        return budget.isTimeOver()
                ? new RunEnd(
                        Outcome.TIMEOUT,
                        "The run reached its time limit during a turn of " + peer.name())
                : new RunEnd(
                        Outcome.AGENT_FAILED,
                        "%s exceeded the turn limit of %s"
                                .formatted(
                                        peer.name(), BudgetTracker.format(spec.budget().turn())));
    }

    private void prepare(Peer peer, String step, PromptBuilder prompts) {
        boolean isWorker = peer.name().equals(spec.worker());
        var messages =
                mailbox.userMessages(
                        peer.name(), isWorker ? progress.workerReadSeq : progress.judgeReadSeq);
        var prompt = prompts.build(Prompts.userMessages(messages.texts())).strip();
        if (isWorker) {
            progress.workerReadSeq = messages.last();
        } else {
            progress.judgeReadSeq = messages.last();
        }
        var key = "r%d-%s-%d".formatted(progress.round, step, progress.turns);
        progress.pending = new PendingTurn(key, prompt, mailbox.lastSeq());
        journal.record(new Journal.Event("execute", progress.round, peer.name(), prompt));
        journal.save(progress);
    }
}

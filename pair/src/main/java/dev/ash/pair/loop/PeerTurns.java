package dev.ash.pair.loop;

import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Asks a peer for a turn, if the run may still use one. The prompt is kept before it is sent, with
 * a key that no other turn has, so that after a crash the very same turn is taken up.
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

    /** The prompt, given what the person has to say in it. */
    interface Wording {
        String of(String person);
    }

    sealed interface Result {}

    private record Answered(Reply reply) implements Result {}

    record Over(Outcome outcome, String reason) implements Result {}

    /**
     * Empty where the run ended instead.
     *
     * @param commit what a verdict is asked for; null for none
     */
    Optional<Reply> ask(Peer peer, String step, @Nullable String commit, Wording wording)
            throws PeerFailedException, InterruptedException {
        return switch (turn(peer, step, commit, wording)) {
            case Over(var outcome, var reason) -> {
                tracker.end(outcome, reason);
                yield Optional.empty();
            }
            case Answered(var reply) -> Optional.of(reply);
        };
    }

    private Result turn(Peer peer, String step, @Nullable String commit, Wording wording)
            throws PeerFailedException, InterruptedException {
        var exceeded = budget.exceeded();
        if (exceeded.isPresent()) {
            return exceeded.get();
        }
        if (progress.pending == null) {
            prepare(peer, step, wording);
        }
        var pending = Objects.requireNonNull(progress.pending);
        turnListener.turnStarts(progress.round, progress.turns, commit);
        var reply = peer.ask(pending.key(), pending.prompt(), budget.turn());
        budget.measure();
        progress.pending = null;
        progress.turns++;
        progress.failures = 0;
        progress.askedAt = pending.mailboxSeq();
        journal.note(new Journal.Event("result", progress.round, peer.name(), reply.text()));
        return reply.end() == Reply.End.TIMED_OUT ? tooLong(peer) : new Answered(reply);
    }

    private Over tooLong(Peer peer) {
        return budget.isTimeOver()
                ? new Over(
                        Outcome.TIMEOUT,
                        "The time of the run was over during a turn of " + peer.name())
                : new Over(
                        Outcome.AGENT_FAILED,
                        "%s did not end its turn within %s"
                                .formatted(peer.name(), BudgetTracker.words(spec.budget().turn())));
    }

    private void prepare(Peer peer, String step, Wording wording) {
        boolean isWorker = peer.name().equals(spec.worker());
        var heard =
                mailbox.person(peer.name(), isWorker ? progress.workerHeard : progress.judgeHeard);
        var prompt = wording.of(Prompts.person(heard.texts())).strip();
        if (isWorker) {
            progress.workerHeard = heard.last();
        } else {
            progress.judgeHeard = heard.last();
        }
        var key = "r%d-%s-%d".formatted(progress.round, step, progress.turns);
        progress.pending = new PendingTurn(key, prompt, mailbox.last());
        journal.note(new Journal.Event("execute", progress.round, peer.name(), prompt));
        journal.keep(progress);
    }
}

package dev.ash.pair.loop;

import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Asks a peer for a turn, if the run may still use one. The prompt is kept before it is sent, with
 * a key that no other turn has, so that after a crash the very same turn is taken up.
 */
final class Asking {
    private final RunSpec spec;
    private final Progress progress;
    private final Mail mail;
    private final Journal journal;
    private final Stage stage;
    private final Limits limits;
    private final Course course;

    Asking(RunSpec spec, Progress progress, PairLoop.Parts parts, Limits limits, Course course) {
        this.spec = spec;
        this.progress = progress;
        this.mail = parts.mail();
        this.journal = parts.journal();
        this.stage = parts.stage();
        this.limits = limits;
        this.course = course;
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
                course.end(outcome, reason);
                yield Optional.empty();
            }
            case Answered(var reply) -> Optional.of(reply);
        };
    }

    private Result turn(Peer peer, String step, @Nullable String commit, Wording wording)
            throws PeerFailedException, InterruptedException {
        var exceeded = limits.exceeded();
        if (exceeded.isPresent()) {
            return exceeded.get();
        }
        if (progress.pending == null) {
            prepare(peer, step, wording);
        }
        var pending = Objects.requireNonNull(progress.pending);
        stage.begins(progress.round, progress.turns, commit);
        var reply = peer.ask(pending.key(), pending.prompt(), limits.turn());
        limits.measure();
        progress.pending = null;
        progress.turns++;
        progress.failures = 0;
        progress.askedAt = pending.mailboxSeq();
        journal.note(new Journal.Event("result", progress.round, peer.name(), reply.text()));
        return reply.end() == Reply.End.TIMED_OUT ? tooLong(peer) : new Answered(reply);
    }

    private Over tooLong(Peer peer) {
        return limits.isTimeOver()
                ? new Over(
                        Outcome.TIMEOUT,
                        "The time of the run was over during a turn of " + peer.name())
                : new Over(
                        Outcome.AGENT_FAILED,
                        "%s did not end its turn within %s"
                                .formatted(peer.name(), Limits.words(spec.budget().turn())));
    }

    private void prepare(Peer peer, String step, Wording wording) {
        boolean isWorker = peer.name().equals(spec.worker());
        var heard = mail.person(peer.name(), isWorker ? progress.workerHeard : progress.judgeHeard);
        var prompt = wording.of(Prompts.person(heard.texts())).strip();
        if (isWorker) {
            progress.workerHeard = heard.last();
        } else {
            progress.judgeHeard = heard.last();
        }
        var key = "r%d-%s-%d".formatted(progress.round, step, progress.turns);
        progress.pending = new Pending(key, prompt, mail.last());
        journal.note(new Journal.Event("execute", progress.round, peer.name(), prompt));
        journal.keep(progress);
    }
}

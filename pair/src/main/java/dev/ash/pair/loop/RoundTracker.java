package dev.ash.pair.loop;

import dev.ash.pair.PeerName;
import dev.ash.pair.Plural;
import dev.ash.pair.verdict.Verdict;
import dev.ash.protocol.Excerpt;
import org.jspecify.annotations.Nullable;

/** Records the rounds of a run and decides after each whether the run continues. */
final class RoundTracker {
    /** Number of disputes about a finding after which the user must decide. */
    private static final int MAX_DISPUTES = 2;

    private static final int MAX_TITLE_CHARS = 72;

    private final RunSpec spec;
    private final Progress progress;
    private final Journal journal;

    RoundTracker(RunSpec spec, Progress progress, Journal journal) {
        this.spec = spec;
        this.progress = progress;
        this.journal = journal;
    }

    /** Ends the round and starts the next, unless there was no progress or the limit is reached. */
    void nextRound(Step step, String feedback) {
        var state = step + " " + progress.head + " " + progress.ledger.openIds();
        progress.unchangedRounds =
                state.equals(progress.roundState) ? progress.unchangedRounds + 1 : 1;
        progress.roundState = state;
        progress.feedback = feedback;
        progress.step = step;
        boolean stuck = progress.unchangedRounds >= spec.budget().stalemateRounds();
        boolean disputed =
                progress.ledger.open().stream().anyMatch(entry -> entry.disputes() >= MAX_DISPUTES);
        if (progress.round >= spec.budget().rounds()) {
            endRun(
                    Outcome.MAX_ROUNDS,
                    "The work was not approved within " + Plural.of(progress.round, "round"));
        } else if (stuck && !spec.asksPerson()) {
            endRun(
                    Outcome.STALEMATE,
                    "No progress for %s: same commit, same findings"
                            .formatted(Plural.of(progress.unchangedRounds, "round")));
        } else {
            progress.round++;
            recordEvent("iteration", null, Integer.toString(progress.round));
            if (spec.asksPerson() && (stuck || disputed)) {
                progress.questions++;
                progress.question = Disagreement.of(spec, progress).text();
                progress.step = Step.QUESTION;
            }
        }
    }

    void endRun(Outcome outcome, String reason) {
        progress.outcome = outcome;
        progress.reason = reason;
        recordEvent("end", null, outcome.wire() + ": " + reason);
    }

    void recordRound(@Nullable Integer proof, @Nullable Verdict verdict, String note) {
        recordRound(progress.head, proof, verdict, note);
    }

    /** {@code commit} is null if the round created none. */
    void recordRound(
            @Nullable String commit,
            @Nullable Integer proof,
            @Nullable Verdict verdict,
            String note) {
        progress.rounds.add(
                new Round(
                        progress.round,
                        commit,
                        proof,
                        verdict == null ? null : verdict.signal(),
                        note));
    }

    String commitMessage() {
        return "Round %d: %s".formatted(progress.round, firstLine(spec.task()));
    }

    void recordEvent(String type, @Nullable PeerName peer, String content) {
        journal.record(new Journal.Event(type, progress.round, peer, content));
    }

    LoopMailbox.Position position() {
        return new LoopMailbox.Position(progress.round, progress.turns);
    }

    static String firstLine(String text) {
        var line = text.strip().lines().findFirst().orElse("");
        return Excerpt.of(line, MAX_TITLE_CHARS);
    }
}

package dev.ash.pair.loop;

import dev.ash.pair.PeerName;
import dev.ash.pair.Plural;
import dev.ash.pair.verdict.Verdict;
import dev.ash.protocol.Excerpt;
import org.jspecify.annotations.Nullable;

/** The rounds of a run: which one it is, what each came to, and whether another may begin. */
final class RoundTracker {
    /** So often the worker may reject what the reviewer raises before somebody has to decide. */
    private static final int DISPUTES = 2;

    private static final int LONGEST_TITLE = 72;

    private final RunSpec spec;
    private final Progress progress;
    private final Journal journal;

    RoundTracker(RunSpec spec, Progress progress, Journal journal) {
        this.spec = spec;
        this.progress = progress;
        this.journal = journal;
    }

    /** Ends a round; the next begins unless nothing moves, or there were enough. */
    void next(Step step, String feedback) {
        var standing = step + " " + progress.head + " " + progress.ledger.openIds();
        progress.still = standing.equals(progress.standing) ? progress.still + 1 : 1;
        progress.standing = standing;
        progress.feedback = feedback;
        progress.step = step;
        boolean stuck = progress.still >= spec.budget().stalemateRounds();
        boolean disputed =
                progress.ledger.open().stream().anyMatch(entry -> entry.disputes() >= DISPUTES);
        if (progress.round >= spec.budget().rounds()) {
            end(
                    Outcome.MAX_ROUNDS,
                    "It was not approved within " + Plural.of(progress.round, "round"));
        } else if (stuck && !spec.asksPerson()) {
            end(
                    Outcome.STALEMATE,
                    "Nothing moved for %s: the same commit, the same findings"
                            .formatted(Plural.of(progress.still, "round")));
        } else {
            progress.round++;
            note("iteration", null, Integer.toString(progress.round));
            if (spec.asksPerson() && (stuck || disputed)) {
                progress.questions++;
                progress.question = Disagreement.of(spec, progress).text();
                progress.step = Step.QUESTION;
            }
        }
    }

    void end(Outcome outcome, String reason) {
        progress.outcome = outcome;
        progress.reason = reason;
        note("end", null, outcome.wire() + ": " + reason);
    }

    void round(@Nullable Integer proof, @Nullable Verdict verdict, String note) {
        round(progress.head, proof, verdict, note);
    }

    /** {@code commit} is null if the round has none of its own. */
    void round(
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

    String title() {
        return "Round %d: %s".formatted(progress.round, firstLine(spec.task()));
    }

    void note(String type, @Nullable PeerName peer, String content) {
        journal.note(new Journal.Event(type, progress.round, peer, content));
    }

    LoopMailbox.At at() {
        return new LoopMailbox.At(progress.round, progress.turns);
    }

    static String firstLine(String text) {
        var line = text.strip().lines().findFirst().orElse("");
        return Excerpt.of(line, LONGEST_TITLE);
    }
}

package dev.ash.pair.loop;

import dev.ash.pair.verdict.Ledger;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The progress of a run: all state that is needed to resume it after a crash. Confined to the
 * thread of the loop, and saved by the {@link Journal} after every change that must not be lost.
 */
public final class Progress {
    Step step = Step.BEGIN;
    int round;

    /** Number of turns so far, including failed ones; part of the key of a turn. */
    int turns;

    /** Consecutive failures of peers. */
    int failures;

    boolean claimedDone;
    @Nullable String head;

    /** The branch that contains the head; may differ from the requested one. */
    @Nullable String branch;

    /** The commit of the last verdict; the next review covers the changes since then. */
    @Nullable String reviewed;

    /** The commit on which the proof succeeded. */
    @Nullable String proven;

    String stat = "";
    String plan = "";
    int workTurns;
    int judgeTurns;

    /** The last message in the mailbox when the last turn started. */
    long turnStartSeq;

    /** Final statement of each peer, for the arbiter. */
    String reviewSummary = "";

    String workerText = "";

    /** Feedback for the worker's next prompt. */
    String feedback = "";

    @Nullable PendingTurn pending;
    Ledger ledger = new Ledger();

    /**
     * Step, commit and open findings of the last round, and the number of rounds without change.
     */
    String roundState = "";

    int unchangedRounds;
    Usage usage = Usage.NONE;
    long spentMillis;

    /** The last message of the user that each peer has received. */
    long workerReadSeq;

    long judgeReadSeq;
    final List<Round> rounds = new ArrayList<>();

    /** The open question to the user. */
    @Nullable String question;

    /** Number of questions so far; also the number of the last one. */
    int questions;

    @Nullable Outcome outcome;
    String reason = "";

    public Step step() {
        return step;
    }

    public int round() {
        return round;
    }

    public @Nullable String head() {
        return head;
    }

    public @Nullable String branch() {
        return branch;
    }

    public Usage usage() {
        return usage;
    }

    public long spentMillis() {
        return spentMillis;
    }

    public Ledger ledger() {
        return ledger;
    }

    public List<Round> rounds() {
        return List.copyOf(rounds);
    }

    public String stat() {
        return stat;
    }

    public @Nullable String question() {
        return question;
    }

    /** Returns the number of the last question. */
    public int questions() {
        return questions;
    }

    public @Nullable Outcome outcome() {
        return outcome;
    }

    public String reason() {
        return reason;
    }

    /** Lets the worker continue with its plan. */
    void approvePlan() {
        feedback = "Your plan is approved: implement it.";
        step = Step.WORK;
    }

    /** Ends a run outside of its loop: it could not be started or resumed, or the loop failed. */
    public void end(Outcome newOutcome, String newReason) {
        outcome = newOutcome;
        reason = newReason;
    }

    /** Reopens a run that ended, so that it continues at its last step. */
    public void reopen() {
        if (outcome != null) {
            boolean reviewed = outcome == Outcome.REJECTED && step == Step.REVIEW;
            if (outcome == Outcome.MAX_ROUNDS || outcome == Outcome.STALEMATE || reviewed) {
                round++; // the last round is complete
            }
            outcome = null;
            reason = "";
            unchangedRounds = 0;
            failures = 0;
            if (question != null) {
                questions++; // the last question is closed; ask a new one
            }
        }
    }
}

package dev.ash.pair.loop;

import dev.ash.pair.verdict.Ledger;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * How far a run is: all that it needs to go on after a crash. Changed by the thread of the loop
 * alone, and kept by the {@link Journal} after every change that must not be lost.
 */
public final class Progress {
    Step step = Step.BEGIN;
    int round;

    /** Turns that were asked for, whatever came of them: no two have the same key. */
    int turns;

    /** In a row. */
    int failures;

    boolean claimedDone;
    @Nullable String head;

    /** Which branch has it: not always the one that was meant for it. */
    @Nullable String branch;

    /** The commit of the last verdict; later ones are about what is new since then. */
    @Nullable String reviewed;

    /** The commit on which the proof was green. */
    @Nullable String proven;

    String stat = "";
    String plan = "";
    int workTurns;
    int judgeTurns;

    /** Where the mailbox was when the last turn was asked for. */
    long askedAt;

    /** The last words of each side, for whoever must decide between them. */
    String summary = "";

    String workerWords = "";

    /** What the worker is told next. */
    String feedback = "";

    @Nullable PendingTurn pending;
    Ledger ledger = new Ledger();

    /** What did not change in the last rounds, and for how many. */
    String standing = "";

    int still;
    Usage usage = Usage.NONE;
    long spentMillis;

    /** The last message of the person that each side was told. */
    long workerHeard;

    long judgeHeard;
    final List<Round> rounds = new ArrayList<>();

    /** What the person is asked at the moment. */
    @Nullable String question;

    /** How many there were, so that each has a number. */
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

    /** The number of the last question. */
    public int questions() {
        return questions;
    }

    public @Nullable Outcome outcome() {
        return outcome;
    }

    public String reason() {
        return reason;
    }

    /** The worker goes on by the plan that it made. */
    void approvePlan() {
        feedback = "Your plan is approved: work by it.";
        step = Step.WORK;
    }

    /** Ends a run outside of its loop: it could not be begun or resumed, or the loop broke off. */
    public void end(Outcome how, String why) {
        outcome = how;
        reason = why;
    }

    /** A run that ended goes on where it was, as far as its budget now allow. */
    public void reopen() {
        if (outcome != null) {
            boolean reviewed = outcome == Outcome.REJECTED && step == Step.REVIEW;
            if (outcome == Outcome.MAX_ROUNDS || outcome == Outcome.STALEMATE || reviewed) {
                round++; // the last one is over
            }
            outcome = null;
            reason = "";
            still = 0;
            failures = 0;
            if (question != null) {
                questions++; // the last one is closed, and is asked anew
            }
        }
    }
}

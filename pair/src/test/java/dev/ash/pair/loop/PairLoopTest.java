package dev.ash.pair.loop;

import static dev.ash.pair.loop.LoopHarness.REVIEWER;
import static dev.ash.pair.loop.LoopHarness.WORKER;
import static dev.ash.pair.loop.LoopHarness.edit;
import static dev.ash.pair.loop.LoopHarness.rounds;
import static dev.ash.pair.loop.LoopHarness.say;
import static dev.ash.pair.loop.LoopHarness.spec;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import dev.ash.pair.mailbox.Draft;
import dev.ash.pair.mailbox.MessageType;
import dev.ash.pair.mailbox.Signal;
import dev.ash.pair.verdict.Finding;
import dev.ash.pair.verdict.FindingStatus;
import dev.ash.pair.verdict.Ledger;
import dev.ash.pair.verdict.Severity;
import dev.ash.pair.verdict.Verdict;
import dev.ash.pair.verdict.VerdictJson;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class PairLoopTest {
    @TempDir Path directory;
    private LoopHarness harness;

    @BeforeEach
    void open() throws IOException {
        harness = new LoopHarness(directory);
    }

    @AfterEach
    void close() throws IOException {
        harness.close();
    }

    private Progress progress() {
        return Objects.requireNonNull(harness.last);
    }

    private static RunSpec with(RunSpec spec, String proof, String done) {
        return new RunSpec(
                spec.task(),
                spec.mode(),
                spec.plan(),
                spec.worker(),
                spec.reviewer(),
                proof,
                done,
                spec.budget(),
                spec.asksPerson());
    }

    /**
     * Returns a turn in which the reviewer submits a verdict by tool, as the MCP server stores it.
     */
    private LoopHarness.Turn verdict(String commit, boolean pass, Finding... findings) {
        return _ -> {
            var verdict = new Verdict(pass, pass ? "good" : "not good", List.of(findings));
            try {
                harness.mailbox.append(
                        Draft.signal(
                                        Signal.valueOf(verdict.signal()),
                                        REVIEWER.value(),
                                        "",
                                        verdict.summary())
                                .withMetadata(VerdictJson.write(verdict, commit)));
            } catch (IOException e) {
                throw new AssertionError(e);
            }
            return Reply.finished("I gave my verdict.");
        };
    }

    private static Finding finding(String title) {
        return new Finding(null, Severity.MAJOR, "A.java", 3, title, null);
    }

    @Test
    void completesAfterRejectionAndFailedProof() throws Exception {
        harness.proofs.addAll(List.of(0, 1, 0));
        harness.worker.then(
                edit(harness, "made it\nDONE"),
                edit(harness, "F1: fixed\nDONE"),
                edit(harness, "DONE"));
        harness.reviewer.then(verdict("c1", false, finding("It leaks")), verdict("c3", true));

        assertThat(harness.run(with(spec(rounds(9)), "mvn test", "DONE")))
                .isEqualTo(Outcome.COMPLETED);
        assertThat(progress().rounds())
                .extracting(Round::proof, Round::verdict)
                .containsExactly(tuple(0, "FAIL"), tuple(1, null), tuple(0, "PASS"));
        assertThat(harness.worker.prompts.get(1)).contains("F1", "It leaks", "A.java:3");
        assertThat(harness.worker.prompts.get(2))
                .contains("mvn test", "ended with 1", "proof of c2");
        assertThat(harness.reviewer.prompts.get(1)).contains("c3", "diff c1..c3", "F1");
        assertThat(harness.checkedOut).isEqualTo(3);
        assertThat(progress().ledger().all().getFirst().status()).isEqualTo(FindingStatus.FIXED);
        assertThat(progress().head()).isEqualTo("c3");
    }

    @Test
    void postsEveryStepToTheMailbox() throws Exception {
        harness.worker.then(edit(harness, "made it\nDONE"));
        harness.reviewer.then(say("nice\nPASS"));

        harness.run(spec(rounds(3)));

        assertThat(harness.messages())
                .extracting(
                        e -> e.message().type(), e -> e.message().from(), e -> e.message().signal())
                .containsExactly(
                        tuple("task", "system", ""),
                        tuple("result", "codex", ""),
                        tuple("signal", "codex", "DONE"),
                        tuple("review", "claude", ""),
                        tuple("signal", "claude", "PASS"));
    }

    @Test
    void d1_doesNotCompleteRejectedWork() throws Exception {
        harness.worker.then(edit(harness, "not done yet, bypass left"));
        harness.worker.always = edit(harness, "I am DONE with it\nDONE");
        harness.reviewer.always =
                say(
                        "The password handling FAILS and is not done: do not merge. PASS is impossible");

        assertThat(harness.run(spec(rounds(3)))).isEqualTo(Outcome.MAX_ROUNDS);
    }

    @Test
    void d2_completesInTheRoundOfTheApproval() throws Exception {
        harness.worker.then(edit(harness, "I did it\nDONE"));
        harness.reviewer.then(verdict("c1", true));

        assertThat(harness.run(spec(rounds(3)))).isEqualTo(Outcome.COMPLETED);
        assertThat(progress().round()).isEqualTo(1);
    }

    @Test
    void d8_acceptsSignalsSentByTool() throws Exception {
        harness.worker.then(
                _ -> {
                    harness.edits++;
                    try {
                        harness.mailbox.append(
                                Draft.signal(Signal.DONE, WORKER.value(), "claude", "see there"));
                    } catch (IOException e) {
                        throw new AssertionError(e);
                    }
                    return Reply.finished("I sent the signal.");
                });
        harness.reviewer.then(verdict("c1", true));

        assertThat(harness.run(spec(rounds(3)))).isEqualTo(Outcome.COMPLETED);
        assertThat(harness.messages().stream().filter(e -> e.message().signal().equals("DONE")))
                .hasSize(1);
    }

    @Test
    void d9_supportsCustomDoneSignals() throws Exception {
        harness.worker.then(edit(harness, "ready\nDONE"), edit(harness, "ready\nSHIP IT"));
        harness.reviewer.then(say("PASS"));

        assertThat(harness.run(with(spec(rounds(3)), null, "SHIP IT")))
                .isEqualTo(Outcome.COMPLETED);
        assertThat(harness.worker.prompts.get(1)).contains("SHIP IT");
    }

    @Test
    void d10_doesNotReviewWorkWithFailedProof() throws Exception {
        harness.proofs.add(1);
        harness.worker.always = edit(harness, "DONE");
        harness.reviewer.always = say("PASS");

        assertThat(harness.run(with(spec(rounds(4)), "false", "DONE")))
                .isEqualTo(Outcome.MAX_ROUNDS);
        assertThat(harness.reviewer.prompts).isEmpty();
        assertThat(harness.worker.prompts.getFirst()).contains("false");
    }

    @Test
    void d11_enforcesTheTimeLimit() throws Exception {
        harness.worker.always =
                _ -> new Reply("", Reply.End.TIMED_OUT); // as a peer that exceeded its limit
        var budget = new Budget(9, Duration.ZERO, Duration.ofHours(1), null, null, 3);

        assertThat(harness.run(spec(budget))).isEqualTo(Outcome.TIMEOUT);
        assertThat(harness.worker.prompts).isEmpty();
    }

    @Test
    void failsWhenAPeerExceedsTheTurnLimit() throws Exception {
        harness.worker.then(edit(harness, "DONE"));
        harness.reviewer.then(_ -> new Reply("", Reply.End.TIMED_OUT));

        assertThat(harness.run(spec(rounds(9)))).isEqualTo(Outcome.AGENT_FAILED);
        assertThat(progress().reason()).contains("claude", "5 min");
    }

    @Test
    void enforcesTheRoundLimit() throws Exception {
        harness.worker.always = edit(harness, "better now\nDONE");
        harness.reviewer.always = say("never\nFAIL");

        assertThat(harness.run(spec(rounds(5)))).isEqualTo(Outcome.MAX_ROUNDS);
        assertThat(harness.reviewer.prompts).hasSize(5);
    }

    @Test
    void endsInStalemateWithoutProgress() throws Exception {
        harness.worker.then(edit(harness, "DONE"));
        harness.worker.always = say("I see nothing to change\nDONE");
        harness.reviewer.always = say("still bad\nFAIL");

        assertThat(harness.run(spec(rounds(20)))).isEqualTo(Outcome.STALEMATE);
        assertThat(progress().round()).isEqualTo(3);
    }

    @Test
    void endsInStalemateWithoutChanges() throws Exception {
        harness.worker.always = say("All done!\nDONE");

        assertThat(harness.run(spec(rounds(20)))).isEqualTo(Outcome.STALEMATE);
        assertThat(harness.reviewer.prompts).isEmpty();
        assertThat(harness.worker.prompts.get(1)).contains("no file differs");
    }

    @Test
    void enforcesTheTokenLimit() throws Exception {
        harness.worker.always = edit(harness, "What do you think about names?");
        var budget = new Budget(99, Duration.ofMinutes(5), Duration.ofMinutes(5), 100L, null, 99);

        assertThat(harness.run(spec(budget))).isEqualTo(Outcome.BUDGET_EXHAUSTED);
        assertThat(progress().usage().tokens()).isBetween(100L, 115L);
    }

    @Test
    void reportsExhaustedBudgetWhenItCausesAFailure() throws Exception {
        harness.worker.then(edit(harness, "DONE"));
        harness.reviewer.failure =
                new PeerFailedException(PeerFailedException.Kind.TRANSIENT, "its call was refused");
        harness.reviewer.usageOfFailure = new Usage(5, 0, 0);
        var budget = new Budget(9, Duration.ofMinutes(5), Duration.ofMinutes(5), 20L, null, 3);

        assertThat(harness.run(spec(budget))).isEqualTo(Outcome.BUDGET_EXHAUSTED);
        assertThat(harness.events.stream().filter(event -> event.type().equals("error")))
                .hasSize(1);
    }

    @Test
    void enforcesTheCostLimit() throws Exception {
        harness.worker.always = edit(harness, "hm");
        var budget = new Budget(99, Duration.ofMinutes(5), Duration.ofMinutes(5), null, 0.035, 99);

        assertThat(harness.run(spec(budget))).isEqualTo(Outcome.BUDGET_EXHAUSTED);
        assertThat(harness.worker.prompts).hasSize(4);
    }

    @Test
    void d21_keepsWorkOfStoppedRuns() throws Exception {
        harness.worker.then(
                _ -> {
                    harness.edits++;
                    harness.control.stop();
                    return Reply.finished("half way");
                });

        assertThat(harness.run(spec(rounds(5)))).isEqualTo(Outcome.CANCELLED);
        assertThat(progress().head()).isEqualTo("c1");
    }

    @Test
    void d24_retriesFailedPeers() throws Exception {
        harness.worker.failure =
                new PeerFailedException(PeerFailedException.Kind.TRANSIENT, "The engine died");

        assertThat(harness.run(spec(rounds(5)))).isEqualTo(Outcome.AGENT_FAILED);
        assertThat(harness.events.stream().filter(event -> event.type().equals("error")))
                .hasSize(3);
        assertThat(progress().reason()).isEqualTo("The engine died");
    }

    @Test
    void continuesReopenedRuns() throws Exception {
        harness.worker.failure =
                new PeerFailedException(PeerFailedException.Kind.PERMANENT, "No key");
        harness.run(spec(rounds(5)));
        var progress = progress();

        harness.worker.failure = null;
        harness.worker.then(edit(harness, "DONE"));
        harness.reviewer.then(say("PASS"));
        progress.reopen();
        assertThat(harness.loop(spec(rounds(5)), progress).run()).isEqualTo(Outcome.COMPLETED);
    }

    @Test
    void continuesWithTheNextRoundAfterTheRoundLimit() throws Exception {
        harness.worker.then(edit(harness, "DONE"), edit(harness, "DONE"));
        harness.reviewer.then(say("no\nFAIL"), say("PASS"));
        assertThat(harness.run(spec(rounds(1)))).isEqualTo(Outcome.MAX_ROUNDS);

        progress().reopen();
        assertThat(harness.loop(spec(rounds(3)), progress()).run()).isEqualTo(Outcome.COMPLETED);
        assertThat(progress().round()).isEqualTo(2);
        assertThat(harness.worker.prompts.get(1)).contains("no");
    }

    @Test
    void d26_sendsOnlyNewInformationInPrompts() throws Exception {
        harness.worker.then(edit(harness, "x".repeat(5000) + "\nDONE"));
        harness.worker.always = edit(harness, "DONE");
        harness.reviewer.always = say("no\nFAIL");

        harness.run(spec(rounds(6)));

        assertThat(harness.worker.prompts.stream().skip(1).map(String::length))
                .allMatch(length -> length < 800);
        assertThat(harness.worker.prompts.stream().filter(p -> p.contains("Make it so")))
                .hasSize(1);
    }

    @Test
    void d27_describesRolesAndSignalsInPrompts() throws Exception {
        harness.worker.then(edit(harness, "DONE"));
        harness.reviewer.then(say("PASS"));

        harness.run(spec(rounds(3)));

        assertThat(harness.worker.prompts.getFirst())
                .contains("worker of a pair", "DONE", "Make it so");
        assertThat(harness.reviewer.prompts.getFirst())
                .contains(
                        "reviewer of a pair", "submit_verdict", "PASS or FAIL", "Make it so", "c1");
    }

    @Test
    void d34_truncatesLongTasksBetweenCharacters() throws Exception {
        harness.worker.then(edit(harness, "DONE"));
        harness.reviewer.then(say("PASS"));
        var task = "x".repeat(71) + "\uD83D\uDE00 and more"; // a surrogate pair at the limit

        harness.run(
                new RunSpec(
                        task, Mode.PAIR, false, WORKER, REVIEWER, null, "DONE", rounds(3), false));

        assertThat(harness.messages.getFirst()).isEqualTo("Round 1: " + "x".repeat(71) + "…");
    }

    @Test
    void ignoresVerdictsOnOtherCommits() throws Exception {
        harness.worker.then(edit(harness, "DONE"));
        harness.worker.always = edit(harness, "DONE");
        harness.reviewer.then(verdict("c9", true));
        harness.reviewer.always = say("FAIL");

        assertThat(harness.run(spec(rounds(2)))).isEqualTo(Outcome.MAX_ROUNDS);
    }

    @Test
    void deliversUserMessagesToTheirRecipients() throws Exception {
        harness.mailbox.append(Draft.of(MessageType.CHAT, "human", "codex", "use tabs"));
        harness.mailbox.append(Draft.of(MessageType.CHAT, "human", "claude", "be strict"));
        harness.mailbox.append(Draft.of(MessageType.CHAT, "human", "", "hurry"));
        harness.worker.then(edit(harness, "DONE"), edit(harness, "DONE"));
        harness.reviewer.then(say("FAIL"), say("PASS"));

        harness.run(spec(rounds(3)));

        assertThat(harness.worker.prompts.getFirst())
                .contains("use tabs", "hurry")
                .doesNotContain("be strict");
        assertThat(harness.reviewer.prompts.getFirst())
                .contains("be strict", "hurry")
                .doesNotContain("use tabs");
        assertThat(harness.worker.prompts.get(1)).doesNotContain("use tabs", "hurry");
    }

    @Test
    void asksOneQuestionWithBothArguments() throws Exception {
        var askingSpec =
                new RunSpec(
                        "Make it so",
                        Mode.PAIR,
                        false,
                        WORKER,
                        REVIEWER,
                        null,
                        "DONE",
                        rounds(20),
                        true);
        harness.worker.then(edit(harness, "DONE"));
        harness.worker.always = edit(harness, "F1: rejected: the task wants it so\nDONE");
        harness.reviewer.always = p -> verdict(commitIn(p), false, finding("Wrong color")).apply(p);
        harness.answers.put(
                1, new Arbiter.Answer(Arbiter.Decision.ACCEPT, "the worker is right", "cli"));

        assertThat(harness.run(askingSpec)).isEqualTo(Outcome.COMPLETED);
        var question =
                harness.messages().stream()
                        .map(e -> e.message())
                        .filter(m -> m.to().equals("human"))
                        .toList();
        assertThat(question).hasSize(1);
        assertThat(question.getFirst().content())
                .contains("Wrong color", "the task wants it so", "not good");
        assertThat(progress().ledger().all())
                .extracting(Ledger.Entry::status, Ledger.Entry::reason)
                .containsExactly(tuple(FindingStatus.REJECTED, "the worker is right"));
        assertThat(progress().reason()).contains("Accepted by the user");
    }

    private static String commitIn(String prompt) {
        return prompt.replaceAll("(?s).*commit (c[0-9]+).*", "$1");
    }

    @Test
    void implementsApprovedPlans() throws Exception {
        var planned =
                new RunSpec(
                        "Make it so",
                        Mode.PAIR,
                        true,
                        WORKER,
                        REVIEWER,
                        null,
                        "DONE",
                        rounds(5),
                        false);
        harness.worker.then(say("plan A"), say("plan B"), edit(harness, "DONE"));
        harness.reviewer.then(say("too vague\nFAIL"), say("PASS"), say("PASS"));

        assertThat(harness.run(planned)).isEqualTo(Outcome.COMPLETED);
        assertThat(harness.worker.prompts.get(0)).contains("plan", "Make it so");
        assertThat(harness.worker.prompts.get(1)).contains("not approved", "too vague");
        assertThat(harness.worker.prompts.get(2)).contains("approved", "Make it so");
        assertThat(harness.reviewer.prompts.get(1)).contains("plan B");
    }

    @Test
    void reviewsOwnWorkInSingleMode() throws Exception {
        var alone =
                new RunSpec(
                        "Make it so",
                        Mode.SINGLE,
                        false,
                        WORKER,
                        null,
                        null,
                        "DONE",
                        rounds(5),
                        false);
        harness.worker.then(
                edit(harness, "DONE"),
                say("a hole\nFAIL"),
                edit(harness, "DONE"),
                say("good\nPASS"));

        assertThat(harness.run(alone)).isEqualTo(Outcome.COMPLETED);
        assertThat(harness.worker.prompts.get(1)).contains("check your own work", "c1");
        assertThat(harness.worker.prompts.get(2)).contains("a hole");
    }

    @Test
    void reviewsExistingCommitsInReviewOnlyMode() throws Exception {
        var only =
                new RunSpec(
                        "Is it safe?",
                        Mode.REVIEW_ONLY,
                        false,
                        null,
                        REVIEWER,
                        null,
                        "DONE",
                        rounds(5),
                        false);
        harness.reviewer.then(verdict("c7", false, finding("It is not")));

        assertThat(harness.run(only)).isEqualTo(Outcome.REJECTED);
        assertThat(harness.checkedOut).isEqualTo(7);
        assertThat(progress().ledger().open()).hasSize(1);
    }
}

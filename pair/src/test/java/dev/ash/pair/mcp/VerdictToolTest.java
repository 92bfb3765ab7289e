package dev.ash.pair.mcp;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ash.pair.mailbox.Entry;
import dev.ash.pair.mailbox.Mailbox;
import dev.ash.pair.verdict.Finding;
import dev.ash.pair.verdict.Severity;
import dev.ash.pair.verdict.Verdict;
import dev.ash.pair.verdict.VerdictJson;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class VerdictToolTest {
    private static final String COMMIT = "0123456789abcdef0123456789abcdef01234567";

    @TempDir Path directory;
    private Mailbox mailbox;
    private final List<Verdict> verdicts = new ArrayList<>();
    private final LoopContext loop =
            new LoopContext() {
                @Override
                public int iteration() {
                    return 2;
                }

                @Override
                public Optional<String> commitUnderReview() {
                    return Optional.of(COMMIT);
                }

                @Override
                public void onVerdict(Verdict verdict, Entry signal) {
                    verdicts.add(verdict);
                }
            };

    @BeforeEach
    void open() throws IOException {
        mailbox = Mailbox.open(directory, 1);
    }

    @AfterEach
    void close() throws IOException {
        mailbox.close();
    }

    @Test
    void storesVerdictsAsReviewAndSignalAndNotifiesTheLoop() throws IOException {
        var result =
                reviewer(loop)
                        .call(
                                "submit_verdict",
                                "{\"verdict\":\"FAIL\",\"summary\":\"Not yet.\",\"commit\":\"0123456789\",\"findings\":["
                                        + "{\"id\":\"F1\",\"severity\":\"major\",\"file\":\"src/A.java\",\"line\":12,\"title\":\"No check\",\"detail\":\"of null\"},"
                                        + "{\"severity\":\"nit\",\"title\":\"Names\",\"file\":\"\",\"line\":0}]}");

        var expected =
                new Verdict(
                        false,
                        "Not yet.",
                        List.of(
                                new Finding(
                                        "F1",
                                        Severity.MAJOR,
                                        "src/A.java",
                                        12,
                                        "No check",
                                        "of null"),
                                new Finding(null, Severity.NIT, null, null, "Names", null)));
        assertThat(result.text()).startsWith("Verdict submitted: FAIL id=").endsWith("seq=2");
        assertThat(verdicts).containsExactly(expected);
        var messages = mailbox.read(0, 10).stream().map(Entry::message).toList();
        assertThat(messages).extracting("type").containsExactly("review", "signal");
        assertThat(messages).extracting("to").containsExactly("codex", "");
        assertThat(messages).extracting("iteration").containsExactly(2, 2);
        assertThat(messages.get(0).content())
                .isEqualTo(
                        "Round 2, FAIL: Not yet.\n\n- [major] src/A.java:12 No check\n  of null\n- [nit] Names");
        assertThat(messages.get(1).signal()).isEqualTo("FAIL");
        assertThat(messages.get(1).content()).isEqualTo("Round 2, FAIL: Not yet.");
        for (var message : messages) {
            assertThat(VerdictJson.read(message.metadata()))
                    .contains(new VerdictJson.CommitVerdict(expected, Optional.of(COMMIT)));
        }
    }

    @Test
    void rejectsVerdictsOnOtherCommits() throws IOException {
        var reviewer = reviewer(loop);

        assertThat(pass(reviewer, ",\"commit\":\"fffffff\"").text())
                .startsWith(
                        "verdict refused: commit: the commit under review is "
                                + COMMIT
                                + ", not fffffff");
        assertThat(pass(reviewer, "").text())
                .startsWith("verdict refused: commit: the commit under");
        assertThat(pass(reviewer, ",\"commit\":\"main\"").text()).contains("must be a commit hash");
        assertThat(mailbox.status().total()).isZero();
        assertThat(verdicts).isEmpty();
    }

    @Test
    void reportsDuplicatesWithoutNotifyingTheLoopAgain() throws IOException {
        var reviewer = reviewer(loop);
        pass(reviewer, ",\"commit\":\"" + COMMIT + "\"");
        var again = pass(reviewer, ",\"commit\":\"" + COMMIT + "\"");

        assertThat(again.text()).startsWith("Verdict duplicate (already submitted)");
        assertThat(verdicts).hasSize(1);
        assertThat(mailbox.status().total()).isEqualTo(2);
    }

    @Test
    void rejectsContradictoryVerdicts() throws IOException {
        var result =
                pass(
                        reviewer(LoopContext.NONE),
                        ",\"findings\":[{\"severity\":\"blocker\",\"title\":\"x\"}]");

        assertThat(result.text()).contains("PASS with a blocker or major finding is contradictory");
    }

    @Test
    void d31_rejectsInvalidArguments() throws IOException {
        var reviewer = reviewer(LoopContext.NONE);
        for (var arguments :
                List.of(
                        "{}",
                        "{\"verdict\":\"DONE\",\"summary\":\"x\"}",
                        "{\"verdict\":\"PASS\",\"summary\":\" \"}",
                        "{\"verdict\":\"PASS\",\"summary\":\"x\",\"findings\":{}}",
                        "{\"verdict\":\"FAIL\",\"summary\":\"x\",\"findings\":[{\"severity\":\"bad\",\"title\":\"t\"}]}",
                        "{\"verdict\":\"FAIL\",\"summary\":\"x\",\"findings\":[{\"severity\":\"nit\",\"title\":\"t\",\"line\":-1}]}",
                        "{\"verdict\":\"FAIL\",\"summary\":\"x\",\"findings\":[5]}")) {
            var result = reviewer.call("submit_verdict", arguments);
            assertThat(result.isError()).as(arguments).isTrue();
            assertThat(result.text()).startsWith("verdict refused: ");
        }
        assertThat(mailbox.status().total()).isZero();
    }

    @Test
    void isAvailableToReviewersOnly() throws IOException {
        for (var role : List.of(Role.PEER, Role.WORKER)) {
            var other = McpTestClient.of(mailbox, "claude", role, loop);
            assertThat(other.errorCode(other.request("submit_verdict", "{}"))).isEqualTo(-32602);
        }
    }

    private McpTestClient reviewer(LoopContext loop) throws IOException {
        return McpTestClient.of(mailbox, "claude", Role.REVIEWER, loop);
    }

    private static McpTestClient.Result pass(McpTestClient reviewer, String more)
            throws IOException {
        return reviewer.call(
                "submit_verdict", "{\"verdict\":\"PASS\",\"summary\":\"Good.\"" + more + "}");
    }
}

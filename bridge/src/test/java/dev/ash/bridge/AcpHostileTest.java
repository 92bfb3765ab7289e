package dev.ash.bridge;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A broken agent affects only its turn: the next one runs in another process. */
class AcpHostileTest {
    private static final Duration LIMIT = Duration.ofSeconds(20);

    @TempDir private Path directory;
    private FakeAgent agent;

    @BeforeEach
    void install() throws IOException {
        agent = FakeAgent.in(directory);
    }

    @AfterEach
    void close() throws IOException {
        agent.close();
    }

    private void requireNextTurnWorks() throws IOException {
        var events = agent.turn("hello", "");
        assertThat(events.getLast().message().text("result")).isEqualTo("you said hello");
    }

    private static void awaitEnd(ProcessHandle process) {
        assertThat(process.onExit())
                .as("the exit of process %d", process.pid())
                .succeedsWithin(LIMIT.toSeconds(), TimeUnit.SECONDS);
    }

    @ParameterizedTest
    @CsvSource({
        "die, exited with code 7",
        "latin1, not valid UTF-8",
        "endless, line is longer than",
    })
    void failureOfProcessEndsTurnWithReason(String prompt, String reason) throws IOException {
        agent.open("");

        var events = agent.turn(prompt, "");

        var error = events.getLast();
        assertThat(error.kind()).isEqualTo("error");
        assertThat(error.text("error")).contains("Fake Agent", reason);
        assertThat(error.json().isTrue("engineGone")).isTrue();
        requireNextTurnWorks();
    }

    @Test
    void sendsTextBeforeExit() throws IOException {
        agent.open("");

        var events = agent.turn("die", "");

        assertThat(MessageTypes.of(events)).containsExactly("system", "assistant text");
        assertThat(events.getLast().text("error")).contains("a last word");
    }

    @Test
    void killsProcessesThatSurviveTheirParent() throws IOException {
        agent.open("");

        agent.turn("orphan", "");

        awaitEnd(agent.child());
        requireNextTurnWorks();
    }

    @Test
    void killsProcessesInSessionsOfTheirOwn() throws IOException {
        agent.open("");
        agent.turn("child", "");
        var child = agent.child();
        assertThat(child.isAlive()).isTrue();

        agent.bridge().close();

        awaitEnd(child);
    }

    @Test
    void killsAgentThatIgnoresInterrupt() throws IOException {
        var client = agent.open("");
        client.query("deaf", ",\"turnId\":\"t1\"");
        client.nextOf("message");

        client.send("{\"cmd\":\"interrupt\",\"turnId\":\"t1\"}");
        var events = client.untilDone();

        assertThat(events.get(events.size() - 2).text("error"))
                .contains("did not stop within 5 seconds");
        requireNextTurnWorks();
    }

    @Test
    void ignoresGarbageAndForwardsUnknownUpdates() throws IOException {
        agent.open("");

        var events = agent.turn("noise", "");

        assertThat(MessageTypes.of(events))
                .containsExactly("system", "system", "assistant text", "result");
        assertThat(events.get(1).message().text("method")).isEqualTo("session/update/brand_new");
        await() // the agent ends the turn without reading the response to its request
                .untilAsserted(
                        () ->
                                assertThat(agent.entries())
                                        .filteredOn(entry -> entry.text("id").equals("r1"))
                                        .extracting(AcpHostileTest::errorCode)
                                        .containsExactly("-32601"));
    }

    private static String errorCode(RawClient.Event entry) {
        return entry.at("error").json().raw("code").orElseThrow().toString();
    }

    @Test
    void ignoresSecondResponse() throws IOException {
        agent.open("");

        var events = agent.turn("twice", "");

        assertThat(MessageTypes.of(events)).containsExactly("system", "result");
        requireNextTurnWorks();
        assertThat(agent.starts()).hasSize(1);
    }

    @Test
    void deliversFlood() throws IOException {
        agent.open("");

        var events = agent.turn("flood 50000", "");

        assertThat(MessageTypes.of(events)).containsExactly("system", "assistant text", "result");
        assertThat(MessageTypes.block(events.get(1)).text("text"))
                .contains("word-0 ", "word-49999 ");
    }

    @ParameterizedTest
    @CsvSource({
        "refuse, did not start: it exited with code 1. Stderr: Error: not today",
        "newer, version 2 of the Agent Client Protocol; expected 1",
        "brief, exited with code 5"
    })
    void reportsWhyAgentDoesNotStart(String mode, String reason) throws IOException {
        agent.with("FAKE_START", mode).open("");

        var events = agent.turn("hello", "");

        assertThat(events.getLast().text("error")).contains(reason);
        assertThat(agent.starts()).as("it is not started in a loop").hasSizeLessThanOrEqualTo(2);
    }

    @Test
    void endsWithBridge() throws IOException {
        var client = agent.open("");
        client.query("deaf", "");
        client.nextOf("message");
        var process = agent.process();

        agent.bridge().close();

        awaitEnd(process);
        assertThat(List.of(process)).noneMatch(ProcessHandle::isAlive);
    }
}

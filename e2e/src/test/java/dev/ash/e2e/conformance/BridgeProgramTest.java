package dev.ash.e2e.conformance;

import static dev.ash.e2e.conformance.BridgeDriver.ev;
import static dev.ash.e2e.conformance.BridgeDriver.kinds;
import static dev.ash.e2e.conformance.BridgeDriver.query;
import static dev.ash.e2e.conformance.BridgeDriver.types;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * Documents 000 and 001: the bridge program of Ash, driven by a server written from the documents.
 */
class BridgeProgramTest {
    private static final String ADDITIONS = "docs/bridge-protocol.md#extensions";
    private static final String PARTIAL =
            "{\"cmd\":\"query\",\"prompt\":\"hello\",\"sessionId\":\""
                    + BridgeDriver.SESSION
                    + "\",\"includePartialMessages\":true}";
    private static final String RESUME =
            "{\"cmd\":\"resume\",\"sessionId\":\"" + BridgeDriver.SESSION + "\"}";

    private static BridgeDriver bridge;
    private static JsonNode ready;

    @BeforeAll
    static void start() throws IOException {
        bridge = BridgeDriver.startDemo();
        ready = bridge.event();
    }

    @AfterAll
    static void stop() throws IOException {
        bridge.close();
    }

    @Test
    @Statement(
            id = "000-03",
            says = "Both directions use the same encoding: one JSON object per line")
    void writesEachEventAsOneJsonObjectOnOneLine() throws IOException {
        bridge.send(query("grüße"));

        var line = bridge.line();
        for (; !line.contains("\"ev\":\"done\""); line = bridge.line()) {
            assertThat(new JsonMapper().readTree(line).isObject()).as(line).isTrue();
            assertThat(line).startsWith("{\"ev\":").endsWith("}").doesNotContain("\r");
        }
    }

    @Test
    @Statement(id = "000-13", says = "decode trims the line of a command before it parses it")
    void ignoresWhiteSpaceAroundACommand() throws IOException {
        assertThat(types(bridge.turn(" \t" + query("trimmed") + " \r"))).contains("result");
    }

    @Test
    @Statement(id = "000-17", says = "query: the bridge streams responses back")
    void streamsTheMessagesOfAQuery() throws IOException {
        var events = bridge.turn(query("hello"));

        assertThat(kinds(events)).containsExactly("message", "done");
        assertThat(types(events)).hasSizeGreaterThan(3);
    }

    @Test
    @Statement(id = "000-34", says = "query: includePartialMessages adds the pieces of messages")
    void streamsPiecesOnlyOnRequest() throws IOException {
        assertThat(types(bridge.turn(PARTIAL))).contains("stream_event");
        assertThat(types(bridge.turn(query("hello")))).doesNotContain("stream_event");
    }

    @Test
    @Statement(id = "000-31", says = "shutdown: gracefully shuts down the bridge process")
    void exitsWithZeroAfterShutdown() throws Exception {
        try (var other = BridgeDriver.startDemo()) {
            other.event();
            other.turn(query("hello"));

            other.send("{\"cmd\":\"shutdown\"}");

            assertThat(other.awaitExit()).isZero();
        }
    }

    @Test
    @Statement(
            id = "000-36",
            says = "ready: the only field is ev",
            verdict = Verdict.DIFFERS,
            instead = "it also has `sandboxId`, `engine` and, if the launch has one, `nonce`",
            see = ADDITIONS)
    void addsSandboxAndEngineToReady() {
        assertThat(ready.propertyNames()).containsExactly("ev", "sandboxId", "engine");
        assertThat(ev(ready)).isEqualTo("ready");
    }

    @Test
    @Statement(
            id = "000-37",
            says = "ready is sent once on startup",
            verdict = Verdict.DIFFERS,
            instead =
                    "it is the first line of every connection, because a bridge outlives its server",
            see = "docs/bridge-protocol.md#the-plain-protocol")
    void sendsReadyOnceOnEachConnection() throws IOException {
        try (var other = BridgeDriver.startDemo()) {
            assertThat(ev(other.event())).isEqualTo("ready");
            assertThat(kinds(other.turn(query("hello")))).doesNotContain("ready");
            other.disconnect();

            other.connect();

            assertThat(ev(other.event())).isEqualTo("ready");
        }
    }

    @Test
    @Statement(id = "000-56", says = "The bridge sends ready immediately after it listens")
    void sendsReadyBeforeAnyCommand() throws IOException {
        try (var other = BridgeDriver.startDemo()) {
            assertThat(other.line()).startsWith("{\"ev\":\"ready\"");
        }
    }

    @Test
    @Statement(
            id = "000-45",
            says = "MessageEvent has only ev and data",
            verdict = Verdict.DIFFERS,
            instead = "events also have their number `n`",
            see = ADDITIONS)
    void numbersItsEvents() throws IOException {
        var first = bridge.turn(query("hello")).getFirst();

        assertThat(first.propertyNames()).containsExactlyInAnyOrder("ev", "n", "data");
    }

    @Test
    @Statement(id = "000-51", says = "DoneEvent: sessionId is that of the query")
    void namesTheSessionOfTheQueryInDone() throws IOException {
        var done = bridge.turn(query("hello")).getLast();

        assertThat(done.path("sessionId").asString()).isEqualTo(BridgeDriver.SESSION);
    }

    @Test
    @Statement(id = "000-52", says = "data.type indicates the SDK message kind: assistant")
    void sendsAssistantMessages() throws IOException {
        assertThat(types(bridge.turn(query("hello")))).contains("assistant");
    }

    @Test
    @Statement(id = "000-53", says = "data.type indicates the SDK message kind: user")
    void sendsToolResultsAsUserMessages() throws IOException {
        assertThat(types(bridge.turn(query("demo: run echo hi")))).contains("user");
    }

    @Test
    @Statement(id = "000-54", says = "data.type indicates the SDK message kind: result")
    void sendsOneResultAsTheLastMessage() throws IOException {
        assertThat(types(bridge.turn(query("hello"))))
                .endsWith("result")
                .containsOnlyOnce("result");
    }

    @Test
    @Statement(id = "000-55", says = "data.type indicates the SDK message kind: stream_event")
    void sendsPiecesAsStreamEvents() throws IOException {
        assertThat(types(bridge.turn(PARTIAL))).contains("stream_event");
    }

    @Test
    @Statement(id = "000-61", says = "ErrorEvent of a bridge: error is a string; done follows")
    void sendsErrorAndDoneIfTheEngineCannotStart() throws IOException {
        var missing = Map.of("ASH_ENGINE", "claude", "CLAUDE_CODE_EXECUTABLE", "/nowhere/claude");
        try (var other = BridgeDriver.start(missing)) {
            other.event();

            var events = other.turn(query("hello"));

            assertThat(kinds(events)).containsExactly("error", "done");
            assertThat(events.getFirst().path("error").isString()).isTrue();
            assertThat(events.getFirst().path("error").asString()).isNotBlank();
        }
    }

    @Test
    @Statement(
            id = "001-131",
            says = "query: cmd, prompt, sessionId: starts a new conversation turn")
    void startsATurnForEachQuery() throws IOException {
        assertThat(types(bridge.turn(query("first")))).contains("result");
        assertThat(types(bridge.turn(query("second")))).contains("result");
    }

    @Test
    @Statement(id = "001-132", says = "resume: cmd, sessionId: resumes a previous session")
    void acceptsResumeAndContinues() throws IOException {
        assertThat(kinds(bridge.turn(RESUME))).doesNotContain("error");
        assertThat(types(bridge.turn(query("after the resume")))).contains("result");
    }

    @Test
    @Statement(id = "001-133", says = "interrupt: cmd: aborts the current query")
    void abortsTheRunningQuery() throws IOException {
        bridge.send(PARTIAL.replace("hello", "demo: slow 5000"));
        bridge.until(event -> event.at("/data/type").asString("").equals("stream_event"));

        bridge.send("{\"cmd\":\"interrupt\"}");

        assertThat(types(bridge.rest())).endsWith("result");
        assertThat(types(bridge.turn(query("next")))).contains("result");
    }

    @Test
    @Statement(id = "001-134", says = "shutdown: cmd: graceful exit, also while a query runs")
    void exitsDuringAQuery() throws Exception {
        try (var other = BridgeDriver.startDemo()) {
            other.event();
            other.send(PARTIAL.replace("hello", "demo: slow 5000"));
            other.until(event -> ev(event).equals("message"));

            other.send("{\"cmd\":\"shutdown\"}");

            assertThat(other.awaitExit()).isZero();
        }
    }

    @Test
    @Statement(id = "001-135", says = "ready: ev: the bridge is listening and ready")
    void isReadyForAQueryRightAfterReady() throws IOException {
        try (var other = BridgeDriver.startDemo()) {
            assertThat(ev(other.event())).isEqualTo("ready");

            assertThat(types(other.turn(query("at once")))).contains("result");
        }
    }

    @Test
    @Statement(id = "001-138", says = "done: ev, sessionId: the turn is complete")
    void endsEachTurnWithOneDone() throws IOException {
        var events = bridge.turn(query("hello"));

        assertThat(events.stream().filter(event -> ev(event).equals("done"))).hasSize(1);
        assertThat(Set.copyOf(types(events))).contains("result");
    }
}

package dev.ash.e2e.conformance;

import static dev.ash.e2e.conformance.DocumentBridgeAgent.prompt;
import static dev.ash.e2e.conformance.DocumentBridgeAgent.say;
import static org.assertj.core.api.Assertions.assertThat;

import dev.ash.e2e.AshExtension;
import dev.ash.e2e.Frame;
import dev.ash.e2e.TestSession;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * Document 000: the frames that clients receive for the events of a bridge written from the
 * document.
 */
class BridgeEventsTest {
    private static final String ASSISTANT =
            "{\"type\":\"assistant\",\"message\":{\"role\":\"assistant\",\"content\":"
                    + "[{\"type\":\"text\",\"text\":\"hello\"}]}}";

    @RegisterExtension static final AshExtension ash = SharedServers.SEED;

    private static TestSession session;

    /**
     * A create whose bridge never sends ready; runs in the background, because it takes ten
     * seconds.
     */
    private static CompletableFuture<Duration> silent;

    private static volatile String refusal = "";

    @BeforeAll
    static void start() {
        DocumentBridgeAgent.deploy(ash.server(), "document", "");
        DocumentBridgeAgent.deploy(ash.server(), "silent", "silent");
        silent =
                CompletableFuture.supplyAsync(
                        BridgeEventsTest::createSilent,
                        Executors.newVirtualThreadPerTaskExecutor());
        session = ash.session("document");
    }

    private static Duration createSilent() {
        var start = System.nanoTime();
        var answer = ash.api().post("/api/sessions", Map.of("agent", "silent"));
        refusal = answer.refused(502, "SANDBOX_FAILED").text();
        return Duration.ofNanos(System.nanoTime() - start);
    }

    @Test
    @Statement(
            id = "000-12",
            says = "decode is JSON.parse(line.trim()): white space around an object is ignored")
    void ignoresWhiteSpaceAroundAnEvent() {
        var frames =
                session.ask(
                        prompt(
                                "RAW",
                                " \t{\"ev\":\"message\",\"data\":" + ASSISTANT + "} \r",
                                "  {\"ev\":\"done\",\"sessionId\":\"$SESSION\"}\t"));

        assertThat(messages(frames)).containsExactly(ASSISTANT);
    }

    @Test
    @Statement(
            id = "000-14",
            says = "JSON.parse accepts members in any order, and white space between tokens")
    void acceptsAnyJsonFormattingOfAnEvent() {
        var frames =
                session.ask(
                        prompt(
                                "RAW",
                                "{ \"data\" : " + ASSISTANT + " , \"\\u0065v\" : \"message\" }",
                                "{\"sessionId\": \"$SESSION\", \"ev\": \"done\"}"));

        assertThat(messages(frames)).containsExactly(ASSISTANT);
        assertThat(Frame.names(frames)).doesNotContain("error");
    }

    @Test
    @Statement(
            id = "000-35",
            says = "ready: {ev: 'ready'}: bridge is initialized and accepts commands")
    void activatesTheSessionAfterReady() {
        assertThat(session.created().path("status").asString()).isEqualTo("active");
        assertThat(Frame.names(session.ask("SAY"))).contains("done");
    }

    @Test
    @Statement(id = "000-38", says = "message: ev is 'message', and data is the SDK message")
    void showsTheDataOfAMessageEventToClients() {
        assertThat(messages(say(session, message(ASSISTANT)))).containsExactly(ASSISTANT);
    }

    @Test
    @Statement(
            id = "000-39",
            says =
                    "The data field contains the unmodified message: order of members, numbers, escapes")
    void forwardsTheBytesOfAMessage() {
        var odd =
                "{\"z\":1.50e+3,\"type\":\"assistant\",\"a\":-0.0,\"text\":\"\\u00fc ü \\/ \\ud83d\\ude80"
                        + " 🚀 \\u2028\",\"n\":12345678901234567890,\"z\":null, \"s\" :[ ]}";

        assertThat(messages(say(session, message(odd)))).containsExactly(odd);
    }

    @Test
    @Statement(id = "000-40", says = "data is unknown: any JSON value may be a message")
    void acceptsAnyJsonValueAsData() {
        var values = List.of("null", "true", "4711", "\"text\"", "[1,[2]]", "{}");

        var frames =
                say(session, values.stream().map(BridgeEventsTest::message).toArray(String[]::new));

        assertThat(messages(frames)).isEqualTo(values);
    }

    @Test
    @Statement(id = "000-41", says = "error: ev is 'error': an error occurred during processing")
    void showsAnErrorEventToClients() {
        var frames = say(session, "{\"ev\":\"error\",\"error\":\"the model is overloaded\"}");

        assertThat(Frame.names(Frame.only("error", frames))).containsExactly("error");
    }

    @Test
    @Statement(id = "000-42", says = "error: error is a string")
    void showsTheTextOfAnError() {
        var frames = say(session, "{\"ev\":\"error\",\"error\":\"überlastet: \\\"529\\\"\"}");

        assertThat(Frame.only("error", frames).getFirst().json().path("error").asString())
                .isEqualTo("überlastet: \"529\"");
    }

    @Test
    @Statement(id = "000-43", says = "done: ev is 'done': the agent's turn is complete")
    void endsTheTurnWithDone() {
        assertThat(Frame.names(say(session))).endsWith("done");

        // The next turn starts only after this one is complete.
        assertThat(Frame.names(say(session))).endsWith("done");
    }

    @Test
    @Statement(id = "000-44", says = "done: sessionId is a string")
    void namesTheSessionInDone() {
        assertThat(say(session).getLast().data())
                .isEqualTo("{\"sessionId\":\"" + session.id() + "\"}");
    }

    @Test
    @Statement(id = "000-46", says = "Ash does not translate messages: unknown kinds pass through")
    void doesNotTranslateMessages() {
        var unheard = "{\"type\":\"kind_of_the_future\",\"fields\":{\"x\":[1,2]}}";

        assertThat(messages(say(session, message(unheard)))).containsExactly(unheard);
    }

    @Test
    @Statement(id = "000-47", says = "Ash does not wrap messages")
    void doesNotWrapMessages() {
        var frame = Frame.only("message", say(session, message(ASSISTANT))).getFirst();

        assertThat(frame.data()).isEqualTo(ASSISTANT);
        assertThat(frame.json().path("type").asString()).isEqualTo("assistant");
    }

    @Test
    @Statement(
            id = "000-48",
            says = "Ash does not modify messages: exactly as returned",
            verdict = Verdict.DIFFERS,
            instead =
                    "carriage returns between the tokens of a message become spaces, since they would break an event stream",
            see = "docs/adr/0001-engine-messages-pass-through-untouched.md#decision")
    void replacesOnlyLineBreaksBetweenTokens() {
        var frames = say(session, message("{\r\"type\" :\r\"result\",\"text\":\"a\\rb\"\r}"));

        assertThat(messages(frames))
                .containsExactly("{ \"type\" : \"result\",\"text\":\"a\\rb\" }");
    }

    @Test
    @Statement(
            id = "000-49",
            says = "There are no SSE-specific message types",
            verdict = Verdict.DIFFERS,
            instead =
                    "frames such as tool_use and turn_complete are derived and added; a client may ignore them",
            see = "docs/api.md#event-streams")
    void addsDerivedFrames() {
        var frames =
                say(session, message(ASSISTANT), message("{\"type\":\"result\",\"result\":\"x\"}"));

        assertThat(Frame.names(frames))
                .containsExactly("session_start", "message", "turn_complete", "message", "done");
    }

    @Test
    @Statement(
            id = "000-50",
            says = "SDK changes propagate through the entire pipeline: new fields arrive")
    void keepsUnknownFieldsInStreamAndLog() {
        var changed = "{\"type\":\"assistant\",\"new_field\":{\"deep\":[true]},\"message\":{}}";

        assertThat(messages(say(session, message(changed)))).containsExactly(changed);
        assertThat(session.messages().getLast().path("content").asString()).isEqualTo(changed);
    }

    @Test
    @Statement(id = "000-60", says = "The passthrough is a deliberate decision: ADR 0001")
    void explainsThePassthroughInAdr1() throws Exception {
        var adr =
                Files.readString(
                        Path.of("../docs/adr/0001-engine-messages-pass-through-untouched.md"));

        assertThat(adr).startsWith("# 1. ").contains("## Decision");
    }

    @Test
    @Statement(id = "000-58", says = "The server waits for ready with a 10-second timeout")
    void failsTheCreateTenSecondsAfterStartWithoutReady() throws Exception {
        var took = silent.get(60, TimeUnit.SECONDS);

        assertThat(took).isBetween(Duration.ofMillis(9_500), Duration.ofSeconds(25));
        assertThat(refusal).contains("sessionId");
    }

    private static String message(String data) {
        return "{\"ev\":\"message\",\"data\":" + data + "}";
    }

    private static List<String> messages(List<Frame> frames) {
        return Frame.only("message", frames).stream().map(Frame::data).toList();
    }
}

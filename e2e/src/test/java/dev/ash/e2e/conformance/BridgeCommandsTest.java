package dev.ash.e2e.conformance;

import static dev.ash.e2e.conformance.DocumentBridgeAgent.prompt;
import static org.assertj.core.api.Assertions.assertThat;

import dev.ash.e2e.AshExtension;
import dev.ash.e2e.Frame;
import dev.ash.e2e.TestSession;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import tools.jackson.databind.JsonNode;

/** Document 000: the commands that the server sends to a bridge written from the document. */
class BridgeCommandsTest {
    private static final String ADDITIONS = "docs/bridge-protocol.md#extensions";

    @RegisterExtension static final AshExtension ash = SharedServers.SEED;

    private static TestSession session;
    private static TestSession late;

    @BeforeAll
    static void start() {
        DocumentBridgeAgent.deploy(ash.server(), "document", "");
        DocumentBridgeAgent.deploy(ash.server(), "late", "late");
        session = ash.session("document");
        late = ash.session("late");
    }

    @Test
    @Statement(
            id = "000-10",
            says = "Each message is a single JSON object followed by a newline character (\\n)")
    void endsEachCommandWithOneNewline() {
        session.ask(prompt("SAY"));

        var bytes = session.workspaceFile("received.jsonl");
        assertThat(bytes).endsWith("}\n").doesNotContain("\r").doesNotContain("\n\n");
        assertThat(DocumentBridgeAgent.commands(session)).isNotEmpty().allMatch(JsonNode::isObject);
    }

    @Test
    @Statement(
            id = "000-11",
            says = "encode is JSON.stringify(msg) + '\\n': one line without spaces between tokens")
    void encodesCommandsAsJsonStringifyDoes() {
        session.ask("SAY \"quoted\" back\\slash tab\t grüße 🚀");

        assertThat(DocumentBridgeAgent.received(session))
                .anyMatch(
                        line ->
                                line.startsWith(
                                        "{\"cmd\":\"query\",\"prompt\":\"SAY \\\"quoted\\\""
                                                + " back\\\\slash tab\\t grüße 🚀\","
                                                + "\"sessionId\":\""
                                                + session.id()
                                                + "\""));
    }

    @Test
    @Statement(id = "000-18", says = "query: cmd is 'query'")
    void namesTheQueryCommandQuery() {
        assertThat(lastQuery("SAY").path("cmd").asString()).isEqualTo("query");
    }

    @Test
    @Statement(id = "000-19", says = "query: prompt is a string: the message to the agent")
    void sendsThePromptAsAString() {
        var query = lastQuery("SAY What files are here?");

        assertThat(query.path("prompt").isString()).isTrue();
        assertThat(query.path("prompt").asString()).isEqualTo("SAY What files are here?");
    }

    @Test
    @Statement(id = "000-20", says = "query: sessionId is a string")
    void sendsTheSessionIdWithEachQuery() {
        assertThat(lastQuery("SAY").path("sessionId").asString()).isEqualTo(session.id());
    }

    @Test
    @Statement(id = "000-21", says = "query: includePartialMessages? is absent unless asked for")
    void leavesOutIncludePartialMessages() {
        assertThat(lastQuery("SAY").has("includePartialMessages")).isFalse();
    }

    @Test
    @Statement(id = "000-22", says = "query: includePartialMessages? is a boolean")
    void sendsIncludePartialMessagesOnRequest() {
        try (var turn = session.send("SAY", Map.of("includePartialMessages", true))) {
            turn.rest();
        }

        var flag = queries().getLast().path("includePartialMessages");
        assertThat(flag.isBoolean()).isTrue();
        assertThat(flag.asBoolean()).isTrue();
    }

    @Test
    @Statement(
            id = "000-23",
            says = "QueryCommand has only cmd, prompt, sessionId and includePartialMessages",
            verdict = Verdict.DIFFERS,
            instead =
                    "it also has `turnId`, which a bridge may ignore, and turn options that a client set",
            see = ADDITIONS)
    void addsOnlyTheTurnIdToAQuery() {
        assertThat(lastQuery("SAY").propertyNames())
                .containsExactlyInAnyOrder("cmd", "prompt", "sessionId", "turnId");
    }

    @Test
    @Statement(id = "000-25", says = "resume: cmd is 'resume'")
    void sendsResumeToTheBridgeOfAStoppedSession() {
        var stopped = ash.session("document");
        stopped.ask("SAY before");
        stopped.post("stop").expect(200);
        stopped.post("resume").expect(200);
        stopped.ask("SAY after");

        assertThat(DocumentBridgeAgent.commands(stopped))
                .extracting(command -> command.path("cmd").asString())
                .containsExactly("query", "shutdown", "resume", "query");
    }

    @Test
    @Statement(id = "000-26", says = "resume: sessionId is a string, and there is no other field")
    void sendsExactlyCmdAndSessionIdWithResume() {
        var stopped = ash.session("document");
        stopped.ask("SAY");
        stopped.post("stop").expect(200);
        stopped.post("resume").expect(200);

        assertThat(DocumentBridgeAgent.awaitLine(stopped, line -> line.contains("resume")))
                .isEqualTo("{\"cmd\":\"resume\",\"sessionId\":\"" + stopped.id() + "\"}");
    }

    @Test
    @Statement(
            id = "000-27",
            says = "No event answers a resume: the bridge may send nothing for it")
    void waitsAtMostASecondForAnAnswerToResume() {
        DocumentBridgeAgent.deploy(ash.server(), "mute", "mute");
        var stopped = ash.session("mute");
        stopped.ask("SAY");
        stopped.post("stop").expect(200);
        var start = System.nanoTime();

        stopped.post("resume").expect(200);
        var frames = stopped.ask(prompt("SAY", "{\"ev\":\"message\",\"data\":{\"type\":\"x\"}}"));

        assertThat(Frame.names(frames)).contains("message").doesNotContain("error");
        assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(Duration.ofSeconds(10));
    }

    @Test
    @Statement(id = "000-28", says = "interrupt: cmd is 'interrupt', and there is no other field")
    void sendsExactlyTheInterruptCommand() {
        try (var turn = session.send(prompt("HOLD", "{\"ev\":\"message\",\"data\":1}"), Map.of())) {
            turn.next("message");
            session.post("interrupt").expect(200);
            turn.rest();
        }

        assertThat(DocumentBridgeAgent.received(session)).contains("{\"cmd\":\"interrupt\"}");
    }

    @Test
    @Statement(id = "000-29", says = "interrupt: interrupts the current agent turn")
    void sendsInterruptWhileTheTurnRuns() {
        List<Frame> frames;
        try (var turn = session.send(prompt("HOLD", "{\"ev\":\"message\",\"data\":1}"), Map.of())) {
            turn.next("message");

            assertThat(session.post("interrupt").expect(200).at("/interrupted").asBoolean())
                    .isTrue();
            frames = turn.rest();
        }

        assertThat(frames.getLast().event()).isEqualTo("done");
        assertThat(session.status()).isEqualTo("active");
    }

    @Test
    @Statement(id = "000-30", says = "shutdown: cmd is 'shutdown', and there is no other field")
    void sendsExactlyTheShutdownCommandBeforeASandboxEnds() {
        var stopped = ash.session("document");
        stopped.ask("SAY");

        stopped.post("stop").expect(200);

        assertThat(DocumentBridgeAgent.received(stopped)).endsWith("{\"cmd\":\"shutdown\"}");
    }

    @Test
    @Statement(
            id = "000-32",
            says = "The commands are query, resume, interrupt and shutdown; there are no others")
    void sendsOnlyTheFourCommandsOfTheDocument() {
        var stopped = ash.session("document");
        stopped.ask("SAY");
        ash.api().post(stopped.path() + "/exec", Map.of("command", "ls"));
        stopped.post("pause").expect(200);
        stopped.post("resume").expect(200);
        stopped.ask("SAY");
        stopped.post("stop").expect(200);

        var commands = List.of("query", "resume", "interrupt", "shutdown");
        assertThat(kinds(stopped).toList()).contains("query", "shutdown").isSubsetOf(commands);
        assertThat(kinds(session).toList()).isSubsetOf(commands);
    }

    @Test
    @Statement(
            id = "000-33",
            says = "A bridge has only these four commands: it cannot run a shell command")
    void rejectsExecImmediately() {
        var start = System.nanoTime();

        var answer = ash.api().post(session.path() + "/exec", Map.of("command", "ls"));

        assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(Duration.ofSeconds(30));
        assertThat(answer.status()).as(answer.text()).isBetween(400, 502);
        assertThat(answer.at("/error").asString()).containsIgnoringCase("exec");
        assertThat(kinds(session)).doesNotContain("exec");
    }

    @Test
    @Statement(id = "000-57", says = "The server waits for ready before sending any commands")
    void sendsNothingBeforeReady() {
        late.ask("SAY");

        assertThat(DocumentBridgeAgent.starts(late).getFirst().path("early").asInt(-1)).isZero();
        assertThat(kinds(late)).contains("query");
    }

    @Test
    @Statement(id = "000-59", says = "A ready that comes within the 10 seconds is accepted")
    void acceptsALateReady() {
        assertThat(late.created().path("status").asString()).isEqualTo("active");
    }

    private static Stream<String> kinds(TestSession of) {
        return DocumentBridgeAgent.commands(of).stream()
                .map(command -> command.path("cmd").asString());
    }

    private static JsonNode lastQuery(String prompt) {
        session.ask(prompt);
        return queries().getLast();
    }

    private static List<JsonNode> queries() {
        return DocumentBridgeAgent.commands(session, "query");
    }
}

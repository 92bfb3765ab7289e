package dev.ash.e2e.conformance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.ash.e2e.AshExtension;
import dev.ash.e2e.TestSession;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import tools.jackson.databind.JsonNode;

/** Document 004: agent sessions and chat messages. */
class DeviceSessionTest {
    private static final String CONTENT =
            "Tighten the bridge startup validation in bridge_setup_screen.dart";
    private static final String ANSWER = "I'll tighten the bridge startup validation";

    @RegisterExtension
    static final AshExtension ash = DeviceGateway.extension().with("ASH_HOOK_SILENCE_MS", "1");

    private static DeviceGateway gateway;
    private static DeviceSocket device;
    private static JsonNode ready;
    private static String session;
    private static List<JsonNode> streamed;

    @BeforeAll
    static void start() {
        gateway = DeviceGateway.of(ash);
        device = gateway.connect();
        ready = device.ask(gateway.sessionStart());
        session = ready.at("/payload/session_id").asString();
        streamed = turn(device, session, CONTENT);
    }

    @AfterAll
    static void stop() {
        device.close();
    }

    /** Sends a message and returns the stream frames of its answer. */
    private static List<JsonNode> turn(DeviceSocket socket, String id, String content) {
        socket.send(DeviceGateway.message(id, content));
        return socket.until(frame -> DeviceGateway.isFinalEnd(frame, id)).stream()
                .filter(frame -> frame.path("type").asString().startsWith("stream_"))
                .toList();
    }

    private static JsonNode first(String type) {
        return streamed.stream()
                .filter(frame -> frame.path("type").asString().equals(type))
                .findFirst()
                .orElseThrow(() -> new AssertionError(type + " is not in " + streamed));
    }

    @Statement(id = "004-100", says = "session_start: agent is the engine of the session")
    @Test
    void startsASessionOfTheAgent() {
        assertThat(stored(session).path("engine").asString()).isEqualTo("claude");
    }

    private static JsonNode stored(String id) {
        return gateway.server().api().get("/api/sessions/" + id).expect(200).at("/session");
    }

    @Statement(id = "004-101", says = "session_start: session_id null starts a new session")
    @Test
    void startsANewSessionForNull() {
        try (var other = gateway.connect()) {
            assertThat(gateway.startSession(other)).isNotEqualTo(session);
        }
    }

    @Statement(id = "004-102", says = "session_start: working_directory is where the agent works")
    @Test
    void worksInTheWorkingDirectory() {
        assertThat(stored(session).path("workingDirectory").asString())
                .isEqualTo(gateway.project().path().toString());
    }

    @Statement(id = "004-103", says = "session_start: resume true resumes an existing session")
    @Test
    void resumesAnExistingSession() {
        try (var other = gateway.connect()) {
            var id = gateway.startSession(other);
            TestSession.of(gateway.server(), id).post("pause").expect(200);
            var resumed = DeviceGateway.join(other, id);
            assertThat(resumed.path("type").asString()).isEqualTo("session_ready");
            assertThat(resumed.at("/payload/session_id").asString()).isEqualTo(id);
            assertThat(TestSession.of(gateway.server(), id).status()).isEqualTo("active");
        }
    }

    @Statement(id = "004-104", says = "session_ready has the id of session_start")
    @Test
    void answersSessionStartWithItsId() {
        assertThat(ready.path("type").asString()).isEqualTo("session_ready");
        assertThat(ready.path("id").asString()).isEqualTo("req-001");
    }

    @Statement(id = "004-105", says = "session_ready: session_id")
    @Test
    void sendsTheIdOfTheNewSession() {
        assertThat(stored(session).path("id").asString()).isEqualTo(session);
    }

    @Statement(id = "004-106", says = "session_ready: agent")
    @Test
    void sendsTheAgentOfTheSession() {
        assertThat(ready.at("/payload/agent").asString()).isEqualTo("claude-code");
    }

    @Statement(id = "004-107", says = "session_ready: working_directory")
    @Test
    void sendsTheWorkingDirectory() {
        assertThat(ready.at("/payload/working_directory").asString())
                .isEqualTo(gateway.project().path().toString());
    }

    @Statement(id = "004-108", says = "session_ready: branch")
    @Test
    void sendsTheBranch() {
        assertThat(ready.at("/payload/branch").asString()).isEqualTo(DeviceProject.BRANCH);
    }

    @Statement(id = "004-109", says = "session_ready: branch is also present outside a repository")
    @Test
    void sendsAnEmptyBranchOutsideARepository() {
        try (var other = gateway.connect()) {
            var started =
                    other.ask(
                            """
                            { "type": "session_start", "id": "req-001", "payload": { \
                            "agent": "claude-code", "session_id": null, "resume": false }}""");
            assertThat(started.at("/payload/branch").isString()).as("%s", started).isTrue();
            assertThat(started.at("/payload/branch").asString()).isEmpty();
        }
    }

    @Statement(id = "004-110", says = "session_ready: status is ready")
    @Test
    void sendsTheStatusReady() {
        assertThat(ready.at("/payload/status").asString()).isEqualTo("ready");
    }

    /** Ends a session with this reason and returns the frame that another device receives. */
    private static JsonNode endedWith(String reason) {
        try (var first = gateway.connect();
                var second = gateway.connect()) {
            var id = gateway.startSession(first);
            DeviceGateway.join(second, id);
            first.send(
                    """
                    { "type": "session_end", "payload": { "session_id": "%s", "reason": "%s" }}"""
                            .formatted(id, reason));
            var end = second.await("session_end", id);
            assertThat(TestSession.of(gateway.server(), id).status()).isEqualTo("ended");
            return end;
        }
    }

    @Statement(
            id = "004-110a",
            says = "session_ready: status is ready for every session",
            verdict = Verdict.DIFFERS,
            instead = "read_only for the session of a terminal, which accepts no messages",
            see = "docs/gateway.md#differences-from-the-published-protocol")
    @Test
    void sendsTheStatusReadOnlyForATerminal() {
        var terminal = gateway.startTerminal();
        var joined = DeviceGateway.join(device, terminal);
        assertThat(joined.path("type").asString()).isEqualTo("session_ready");
        assertThat(joined.at("/payload/status").asString()).isEqualTo("read_only");
        var error = device.ask(DeviceGateway.message(terminal, CONTENT));
        assertThat(error.at("/payload/code").asString()).isEqualTo("AGENT_ERROR");
    }

    @Statement(id = "004-111", says = "session_end of a client ends the session: user_request")
    @Test
    void endsASessionAtTheUsersRequest() {
        assertThat(endedWith("user_request").at("/payload/reason").asString())
                .isEqualTo("user_request");
    }

    @Statement(id = "004-112", says = "session_end of a client: the reason timeout")
    @Test
    void forwardsTheReasonTimeout() {
        assertThat(endedWith("timeout").at("/payload/reason").asString()).isEqualTo("timeout");
    }

    @Statement(id = "004-113", says = "session_end of a client: the reason error")
    @Test
    void forwardsTheReasonError() {
        assertThat(endedWith("error").at("/payload/reason").asString()).isEqualTo("error");
    }

    @Statement(id = "004-114", says = "session_end of a client: the reason completed")
    @Test
    void forwardsTheReasonCompleted() {
        assertThat(endedWith("completed").at("/payload/reason").asString()).isEqualTo("completed");
    }

    @Statement(id = "004-115", says = "session_end of the server: user_request")
    @Test
    void reportsASessionThatWasEndedElsewhere() {
        try (var other = gateway.connect()) {
            var id = gateway.startSession(other);
            TestSession.of(gateway.server(), id).end().expect(200);
            assertThat(other.await("session_end", id).at("/payload/reason").asString())
                    .isEqualTo("user_request");
        }
    }

    @Statement(id = "004-116", says = "session_end of the server: completed")
    @Test
    void reportsATerminalSessionThatIsCompleted() {
        var terminal = gateway.startTerminal();
        gateway.hook(DeviceGateway.hookEvent("SessionEnd", terminal, "{}")).expect(200);
        assertThat(device.await("session_end", terminal).at("/payload/reason").asString())
                .isEqualTo("completed");
    }

    @Statement(id = "004-117", says = "session_end of the server: error")
    @Test
    void reportsASessionThatFailed() {
        try (var other = gateway.connect()) {
            var id = gateway.startSession(other);
            var command = Map.of("command", "true");
            other.send(DeviceGateway.message(id, DeviceGateway.tool("run_command", command)));
            other.await("approval_required", id);
            kill(id);
            assertThat(other.await("session_end", id).at("/payload/reason").asString())
                    .isEqualTo("error");
        }
    }

    private static void kill(String id) {
        var bridge = TestSession.of(gateway.server(), id).bridgePid();
        assertThat(ProcessHandle.of(bridge).orElseThrow().destroyForcibly()).isTrue();
    }

    @Statement(id = "004-117a", says = "session_end of the server: timeout")
    @Test
    void reportsATerminalTimeout() {
        var other = gateway.startSession(device);
        var terminal = gateway.startTerminal();
        // A purge also starts the periodic task that ends silent terminals.
        gateway.server().api().delete("/api/sessions/" + other + "?purge=true").expect(200);
        assertThat(device.await("session_end", terminal).at("/payload/reason").asString())
                .isEqualTo("timeout");
    }

    @Statement(id = "004-118", says = "The hook SessionStart is answered with 200 OK")
    @Test
    void acceptsTheHookSessionStart() {
        var body = DeviceGateway.hookEvent("SessionStart", UUID.randomUUID().toString(), "{}");
        assertThat(gateway.hook(body).status()).isEqualTo(200);
    }

    @Statement(id = "004-119", says = "After SessionStart the device receives session_started")
    @Test
    void reportsANewTerminalSession() {
        var terminal = gateway.startTerminal();
        var started = device.await("session_started", terminal);
        assertThat(started.at("/payload/session_id").asString()).isEqualTo(terminal);
    }

    @Statement(id = "004-120", says = "message: content is the prompt for the agent")
    @Test
    void sendsTheContentToTheAgent() {
        assertThat(gateway.prompts(session)).contains(CONTENT);
    }

    @Statement(id = "004-121", says = "message: role user")
    @Test
    void acceptsTheRoleUser() {
        assertThat(DeviceGateway.message(session, CONTENT)).contains("\"role\": \"user\"");
        assertThat(first("stream_end").at("/payload/finish_reason").asString()).isEqualTo("stop");
    }

    @Statement(id = "004-122", says = "message: session_id selects the session")
    @Test
    void sendsAMessageOnlyToItsSession() {
        try (var other = gateway.connect()) {
            var id = gateway.startSession(other);
            turn(other, id, "Only for this session");
            assertThat(gateway.prompts(id)).containsExactly("Only for this session");
            assertThat(gateway.prompts(session)).doesNotContain("Only for this session");
        }
    }

    @Statement(id = "004-123", says = "The id msg-001 of a message may be used in every session")
    @Test
    void acceptsTheSameMessageIdInEverySession() {
        try (var other = gateway.connect()) {
            for (int i = 0; i < 2; i++) {
                var id = gateway.startSession(other);
                turn(other, id, CONTENT + i);
                assertThat(gateway.prompts(id)).containsExactly(CONTENT + i);
            }
        }
    }

    @Statement(id = "004-124", says = "The id msg-001 of a message may be used in every message")
    @Test
    void acceptsTheSameMessageIdInOneSession() {
        try (var other = gateway.connect()) {
            var id = gateway.startSession(other);
            turn(other, id, CONTENT);
            turn(other, id, CONTENT);
            turn(other, id, "Another text");
            assertThat(gateway.prompts(id)).containsExactly(CONTENT, CONTENT, "Another text");
        }
    }

    @Statement(id = "004-125", says = "The id msg-001 of a message may be used on every connection")
    @Test
    void acceptsTheSameMessageIdOnEveryConnection() {
        var pairing = gateway.pair();
        String id;
        try (var socket = pairing.connect()) {
            id = gateway.startSession(socket);
            turn(socket, id, CONTENT);
            awaitConfirmation(socket);
        }
        try (var socket = pairing.connect()) {
            turn(socket, id, CONTENT); // may be the replay of the first answer
        }
        await().atMost(Duration.ofMinutes(1))
                .untilAsserted(
                        () -> assertThat(gateway.prompts(id)).containsExactly(CONTENT, CONTENT));
    }

    /**
     * Waits for the answer to a later request, which the server sends after it processed earlier
     * pongs.
     */
    private static void awaitConfirmation(DeviceSocket socket) {
        socket.send("{ \"type\": \"heartbeat_ping\" }");
        socket.await("heartbeat_pong");
    }

    @Statement(id = "004-126", says = "stream_start begins the answer: session_id, message_id")
    @Test
    void startsAStream() {
        assertThat(streamed.getFirst().path("type").asString()).isEqualTo("stream_start");
        assertThat(first("stream_start").at("/payload/session_id").asString()).isEqualTo(session);
        assertThat(messageId()).isNotBlank();
    }

    private static String messageId() {
        return first("stream_start").at("/payload/message_id").asString();
    }

    @Statement(id = "004-127", says = "stream_chunk: session_id")
    @Test
    void sendsTheSessionOfAChunk() {
        assertThat(first("stream_chunk").at("/payload/session_id").asString()).isEqualTo(session);
    }

    @Statement(id = "004-128", says = "stream_chunk: message_id is that of stream_start")
    @Test
    void sendsTheMessageIdOfAChunk() {
        assertThat(first("stream_chunk").at("/payload/message_id").asString())
                .isEqualTo(messageId());
    }

    @Statement(
            id = "004-129",
            says = "stream_chunk: content is a part of the answer; all parts are the answer")
    @Test
    void streamsTheAnswer() {
        var chunks =
                streamed.stream()
                        .filter(frame -> frame.path("type").asString().equals("stream_chunk"))
                        .map(frame -> frame.at("/payload/content").asString())
                        .toList();
        assertThat(String.join("", chunks)).isEqualTo(ANSWER);
    }

    @Statement(id = "004-130", says = "stream_chunk: is_tool_use is false for text")
    @Test
    void marksTextAsNoToolUse() {
        assertThat(first("stream_chunk").at("/payload/is_tool_use").isBoolean()).isTrue();
        assertThat(first("stream_chunk").at("/payload/is_tool_use").asBoolean()).isFalse();
    }

    @Statement(id = "004-131", says = "stream_chunk: is_tool_use is true for a tool's input")
    @Test
    void marksTheInputOfATool() {
        var frames = withTool();
        var chunk =
                frames.stream()
                        .filter(frame -> frame.path("type").asString().equals("stream_chunk"))
                        .findFirst()
                        .orElseThrow();
        assertThat(chunk.at("/payload/is_tool_use").asBoolean(false)).as("%s", chunk).isTrue();
    }

    /** Runs a turn with an approved tool. */
    private static List<JsonNode> withTool() {
        try (var other = gateway.connect()) {
            var id = gateway.startSession(other);
            var command = Map.of("command", "git --version");
            other.send(DeviceGateway.message(id, DeviceGateway.tool("run_command", command)));
            var frames = other.until(DeviceSocket.is("approval_required", id));
            other.send(DeviceGateway.decision(frames.getLast(), "approved", "null"));
            frames.addAll(other.until(frame -> DeviceGateway.isFinalEnd(frame, id)));
            return frames;
        }
    }

    @Statement(id = "004-132", says = "stream_end: session_id and message_id of its stream")
    @Test
    void endsTheStream() {
        assertThat(streamed.getLast()).isEqualTo(first("stream_end"));
        assertThat(first("stream_end").at("/payload/session_id").asString()).isEqualTo(session);
        assertThat(first("stream_end").at("/payload/message_id").asString()).isEqualTo(messageId());
    }

    @Statement(id = "004-133", says = "stream_end: finish_reason stop")
    @Test
    void finishesACompleteAnswerWithStop() {
        assertThat(first("stream_end").at("/payload/finish_reason").asString()).isEqualTo("stop");
    }

    @Statement(id = "004-134", says = "stream_end: finish_reason tool_call")
    @Test
    void finishesAStreamBeforeAToolWithToolCall() {
        var reasons =
                withTool().stream()
                        .filter(frame -> frame.path("type").asString().equals("stream_end"))
                        .map(frame -> frame.at("/payload/finish_reason").asString())
                        .toList();
        assertThat(reasons).containsExactly("tool_call", "stop");
    }

    private static JsonNode endOf(String content) {
        try (var other = gateway.connect()) {
            return turn(other, gateway.startSession(other), content).getLast();
        }
    }

    @Statement(id = "004-135", says = "stream_end: finish_reason length")
    @Test
    void finishesATruncatedAnswerWithLength() {
        assertThat(endOf("LENGTH").at("/payload/finish_reason").asString()).isEqualTo("length");
    }

    @Statement(id = "004-136", says = "stream_end: finish_reason error")
    @Test
    void finishesAFailedAnswerWithError() {
        assertThat(endOf("FAIL").at("/payload/finish_reason").asString()).isEqualTo("error");
    }
}

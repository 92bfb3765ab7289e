package dev.ash.e2e.conformance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.ash.e2e.AshExtension;
import dev.ash.e2e.TestSession;
import dev.ash.e2e.conformance.DeviceGateway.Pairing;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import tools.jackson.databind.JsonNode;

/** Document 004: notifications, errors and reconnection. */
class DeviceEventsTest {
    private static final String STATUS_OF_EXAMPLE =
            """
            { "type": "git_status_request", "id": "git-001", \
            "payload": { "session_id": "sess-abc123" }}""";

    @RegisterExtension static final AshExtension ash = DeviceGateway.extension();

    private static DeviceGateway gateway;
    private static DeviceSocket device;
    private static JsonNode asked;
    private static JsonNode notification;
    private static JsonNode error;

    @BeforeAll
    static void start() {
        gateway = DeviceGateway.of(ash);
        device = gateway.connect();
        try (var other = gateway.connect()) {
            asked = ask(device, "touch notified.txt");
            notification = other.await("notification");
            decide(device, asked, "rejected");
        }
        error = device.ask(STATUS_OF_EXAMPLE);
    }

    @AfterAll
    static void stop() {
        device.close();
    }

    /** Starts a session that asks for a command. */
    private static JsonNode ask(DeviceSocket socket, String command) {
        var session = gateway.startSession(socket);
        var prompt = DeviceGateway.tool("run_command", Map.of("command", command));
        socket.send(DeviceGateway.message(session, prompt));
        return socket.await("approval_required", session);
    }

    /** Decides and waits for the end of the turn. */
    private static void decide(DeviceSocket socket, JsonNode question, String decision) {
        var session = sessionOf(question);
        socket.send(DeviceGateway.decision(question, decision, "null"));
        socket.await("last stream_end", frame -> DeviceGateway.isFinalEnd(frame, session));
    }

    private static String sessionOf(JsonNode frame) {
        return frame.at("/payload/session_id").asString();
    }

    @Statement(id = "004-240", says = "notification has an id")
    @Test
    void sendsANotificationWithAnId() {
        assertThat(notification.path("id").asString()).isNotBlank();
    }

    @Statement(id = "004-241", says = "notification: session_id")
    @Test
    void sendsTheSessionOfANotification() {
        assertThat(sessionOf(notification)).isEqualTo(sessionOf(asked));
    }

    @Statement(id = "004-242", says = "notification: notification_type approval_required")
    @Test
    void notifiesOfAnApproval() {
        assertThat(notification.at("/payload/notification_type").asString())
                .isEqualTo("approval_required");
    }

    @Statement(id = "004-243", says = "notification: title says that approval is needed")
    @Test
    void sendsATitle() {
        assertThat(notification.at("/payload/title").asString()).startsWith("Approval needed: ");
    }

    @Statement(id = "004-244", says = "notification: body says what the agent wants to do")
    @Test
    void sendsABody() {
        assertThat(
                        notification.at("/payload/title").asString()
                                + notification.at("/payload/body").asString())
                .contains("touch notified.txt");
        assertThat(notification.at("/payload/body").asString()).isNotBlank();
    }

    @Statement(id = "004-245", says = "notification: priority is high for an approval")
    @Test
    void sendsAPriority() {
        assertThat(notification.at("/payload/priority").asString()).isEqualTo("high");
    }

    @Statement(id = "004-246", says = "notification: data.tool_call_id is that of the call")
    @Test
    void sendsTheCallOfANotification() {
        assertThat(notification.at("/payload/data/tool_call_id"))
                .isEqualTo(asked.at("/payload/tool_call_id"));
    }

    @Statement(id = "004-247", says = "notification: data.screen is approval_detail")
    @Test
    void sendsTheScreenOfANotification() {
        assertThat(notification.at("/payload/data/screen").asString()).isEqualTo("approval_detail");
    }

    @Statement(id = "004-248", says = "notification_ack accepts several ids, and has no answer")
    @Test
    void acceptsTheExampleOfAnAcknowledgment() {
        try (var other = gateway.connect()) {
            other.send(
                    """
                    { "type": "notification_ack", "payload": { \
                    "notification_ids": ["notif-001", "notif-002"] }}""");
            other.send(STATUS_OF_EXAMPLE);
            var frames = other.until(frame -> frame.path("id").asString("").equals("git-001"));
            assertThat(only("error", frames)).containsExactly(frames.getLast());
            assertThat(frames.stream().map(frame -> frame.path("type").asString()))
                    .noneMatch(type -> type.startsWith("notification"));
        }
    }

    @Statement(id = "004-260", says = "error: code")
    @Test
    void sendsTheCodeOfAnError() {
        assertThat(error.path("type").asString()).isEqualTo("error");
        assertThat(error.at("/payload/code").asString()).isEqualTo("SESSION_NOT_FOUND");
    }

    @Statement(id = "004-261", says = "error: message is a sentence about the failure")
    @Test
    void sendsTheMessageOfAnError() {
        assertThat(error.at("/payload/message").asString()).contains("sess-abc123");
    }

    @Statement(id = "004-262", says = "error: session_id is that of the request")
    @Test
    void sendsTheSessionOfAnError() {
        assertThat(sessionOf(error)).isEqualTo("sess-abc123");
    }

    @Statement(id = "004-263", says = "error: recoverable is a boolean")
    @Test
    void reportsWhetherAnErrorIsRecoverable() {
        assertThat(error.at("/payload/recoverable").isBoolean()).isTrue();
    }

    private static void assertError(JsonNode frame, String code, boolean recoverable) {
        assertThat(frame.path("type").asString()).as("%s", frame).isEqualTo("error");
        assertThat(frame.at("/payload/code").asString()).as("%s", frame).isEqualTo(code);
        assertThat(frame.at("/payload/recoverable").asBoolean(!recoverable))
                .as("%s", frame)
                .isEqualTo(recoverable);
    }

    @Statement(id = "004-264", says = "AUTH_FAILED is not recoverable: the device must re-auth")
    @Test
    void closesTheConnectionAfterAuthFailed() {
        var pairing = gateway.pair();
        try (var socket = DeviceSocket.open(pairing.url())) {
            var refused = socket.ask(DeviceGateway.AUTH);
            assertThat(refused.at("/payload/code").asString()).isEqualTo("AUTH_FAILED");
            socket.awaitClose();
        }
        pairing.connect().close();
    }

    @Statement(id = "004-265", says = "SESSION_NOT_FOUND: unknown session id; not recoverable")
    @Test
    void reportsAnUnknownSession() {
        assertError(error, "SESSION_NOT_FOUND", false);
        assertError(
                device.ask(DeviceGateway.message("sess-abc123", "hello")),
                "SESSION_NOT_FOUND",
                false);
        assertError(DeviceGateway.join(device, "sess-abc123"), "SESSION_NOT_FOUND", false);
    }

    @Statement(id = "004-266", says = "AGENT_ERROR: agent execution failed; recoverable by retry")
    @Test
    void reportsAFailedAgentAndRetries() {
        try (var other = gateway.connect()) {
            var question = ask(other, "true");
            var session = sessionOf(question);
            var bridge = TestSession.of(gateway.server(), session).bridgePid();
            assertThat(ProcessHandle.of(bridge).orElseThrow().destroyForcibly()).isTrue();
            assertError(other.await("error", session), "AGENT_ERROR", true);
            other.await("session_end", session);
            other.send(DeviceGateway.message(session, "Try again"));
            var chunk = other.await("stream_chunk of the retry", this::isText);
            assertThat(sessionOf(chunk)).isEqualTo(session);
        }
    }

    private boolean isText(JsonNode frame) {
        return frame.path("type").asString().equals("stream_chunk")
                && !frame.at("/payload/is_tool_use").asBoolean();
    }

    @Statement(id = "004-267", says = "AGENT_ERROR: a failed model call is an error, too")
    @Test
    void reportsAFailedModelCall() {
        try (var other = gateway.connect()) {
            var session = gateway.startSession(other);
            other.send(DeviceGateway.message(session, "FAIL"));
            assertError(other.await("error", session), "AGENT_ERROR", true);
        }
    }

    @Statement(id = "004-268", says = "TOOL_ERROR is recoverable by other params")
    @Test
    void reportsADecisionThatCannotBeApplied() {
        try (var other = gateway.connect()) {
            var question = ask(other, "true");
            assertError(
                    other.ask(DeviceGateway.decision(question, "modified", "null")),
                    "TOOL_ERROR",
                    true);
            other.send(DeviceGateway.decision(question, "modified", "{ \"command\": \"echo 2\" }"));
            var result = other.await("tool_result", sessionOf(question));
            assertThat(result.at("/payload/result/content").asString()).isEqualTo("2\n");
        }
    }

    @Statement(
            id = "004-269",
            says = "TOOL_ERROR: tool execution failed",
            verdict = Verdict.DIFFERS,
            instead = "tool_result with success false and the error; the agent continues",
            see = "docs/gateway.md#differences-from-the-published-protocol")
    @Test
    void reportsAFailedToolAsItsResult() {
        try (var other = gateway.connect()) {
            var question = ask(other, "echo permission denied >&2; false");
            other.send(DeviceGateway.decision(question, "approved", "null"));
            var frames = other.until(f -> DeviceGateway.isFinalEnd(f, sessionOf(question)));
            var result = only("tool_result", frames).getFirst().at("/payload/result");
            assertThat(result.path("success").asBoolean(true)).isFalse();
            assertThat(result.path("error").asString()).contains("permission denied");
            assertThat(only("error", frames)).isEmpty();
        }
    }

    private static List<JsonNode> only(String type, List<JsonNode> frames) {
        return frames.stream().filter(f -> f.path("type").asString().equals(type)).toList();
    }

    @Statement(id = "004-270", says = "GIT_ERROR: git operation failed; recoverable")
    @Test
    void reportsAFailedGitOperation() {
        var session = gateway.startSession(device);
        assertError(
                device.ask(
                        """
                        { "type": "git_commit", "id": "git-002", "payload": { \
                        "session_id": "%s", "message": "nothing", "files": null }}"""
                                .formatted(session)),
                "GIT_ERROR",
                true);
    }

    @Statement(id = "004-271", says = "RATE_LIMITED: too many requests; recoverable by backoff")
    @Test
    void limitsConcurrentRequests() {
        try (var other = gateway.connect()) {
            var session = gateway.startSession(other);
            Set<String> answers = new HashSet<>();
            for (int i = 0; i < 200; i++) {
                other.send(
                        """
                        { "type": "file_list", "id": "file-%d", "payload": { \
                        "session_id": "%s", "path": "lib" }}"""
                                .formatted(i, session));
            }
            for (int i = 0; i < 200; i++) {
                var answer = other.awaitId("file-" + i);
                answers.add(
                        answer.path("type").asString()
                                + answer.at("/payload/code").asString("")
                                + answer.at("/payload/recoverable").asString(""));
            }
            assertThat(answers).containsExactlyInAnyOrder("file_list_response", LIMITED);
        }
    }

    private static final String LIMITED = "errorRATE_LIMITEDtrue";

    @Statement(id = "004-272", says = "BRIDGE_ERROR: internal bridge error; recoverable")
    @Test
    void reportsARequestThatCannotBeServed() {
        var session = gateway.startSession(device);
        assertError(
                device.ask(
                        """
                        { "type": "file_read", "id": "file-002", "payload": { \
                        "session_id": "%s", "path": "no-such-file", "offset": 0, "limit": 100 }}"""
                                .formatted(session)),
                "BRIDGE_ERROR",
                true);
    }

    @Statement(
            id = "004-273",
            says = "There are no other error codes",
            verdict = Verdict.DIFFERS,
            instead = "SCOPE_MISSING, for devices with limited scopes, and DUPLICATE_MESSAGE",
            see = "docs/gateway.md#differences-from-the-published-protocol")
    @Test
    void reportsAMissingScope() {
        var answer =
                gateway.server()
                        .api()
                        .post("/api/devices", Map.of("name", "tv", "scopes", List.of("watch")))
                        .expect(201);
        var watcher =
                new Pairing(
                        answer.at("/pairing/deviceId").asString(),
                        answer.at("/pairing/url").asString(),
                        answer.at("/pairing/token").asString());
        try (var socket = watcher.connect()) {
            assertError(socket.ask(gateway.sessionStart()), "SCOPE_MISSING", false);
        }
    }

    @Statement(id = "004-280", says = "Reconnection: the client sends auth again")
    @Test
    void acceptsAuthAfterADisconnect() {
        var pairing = gateway.pair();
        pairing.connect().close();
        try (var again = DeviceSocket.open(pairing.url())) {
            assertThat(again.ask(pairing.auth()).path("type").asString())
                    .isEqualTo("connection_ack");
        }
    }

    @Statement(id = "004-281", says = "Reconnection: connection_ack includes active_sessions")
    @Test
    void listsActiveSessionsAfterADisconnect() {
        var pairing = gateway.pair();
        String session;
        try (var socket = pairing.connect()) {
            session = gateway.startSession(socket);
        }
        try (var again = DeviceSocket.open(pairing.url())) {
            assertThat(
                            again.ask(pairing.auth())
                                    .at("/payload/active_sessions")
                                    .valueStream()
                                    .map(each -> each.path("session_id").asString()))
                    .contains(session);
        }
    }

    @Statement(id = "004-282", says = "Reconnection: the server replays queued notifications")
    @Test
    void replaysNotifications() {
        var pairing = gateway.pair();
        pairing.connect().close();
        var question = ask(device, "true");
        try (var again = pairing.connect()) {
            assertThat(sessionOf(again.await("notification"))).isEqualTo(sessionOf(question));
        }
        decide(device, question, "rejected");
    }

    @Statement(id = "004-283", says = "Reconnection: the server replays queued tool results")
    @Test
    void replaysToolResults() {
        var pairing = gateway.pair();
        JsonNode question;
        try (var socket = pairing.connect()) {
            question = ask(socket, "echo replayed");
        }
        DeviceGateway.join(device, sessionOf(question));
        decide(device, question, "approved");
        try (var again = pairing.connect()) {
            var result = again.await("tool_result", sessionOf(question));
            assertThat(result.at("/payload/result/content").asString()).isEqualTo("replayed\n");
        }
    }

    @Statement(id = "004-284", says = "Reconnection: an open approval is asked for again")
    @Test
    void asksAgainAfterADisconnect() {
        var pairing = gateway.pair();
        JsonNode question;
        try (var socket = pairing.connect()) {
            question = ask(socket, "true");
        }
        try (var again = pairing.connect()) {
            var repeated = again.await("approval_required", sessionOf(question));
            assertThat(repeated.path("payload")).isEqualTo(question.path("payload"));
            decide(again, repeated, "approved");
        }
    }

    @Statement(
            id = "004-284a",
            says = "The id of a message only correlates: a message with a used id is a new one",
            verdict = Verdict.DIFFERS,
            instead =
                    "a message that is repeated on another connection, because its answer was not"
                            + " received, runs once: error DUPLICATE_MESSAGE",
            see = "docs/gateway.md#differences-from-the-published-protocol")
    @Test
    void runsARepeatedMessageOnce() {
        var pairing = gateway.pair();
        var content = "WAIT " + gateway.project().path().resolve("go-on");
        String session;
        try (var socket = pairing.connect()) {
            session = gateway.startSession(socket);
            socket.send(DeviceGateway.message(session, content));
            awaitPrompt(session, content);
        }
        try (var again = pairing.connect()) {
            assertError(
                    again.ask(DeviceGateway.message(session, content)), "DUPLICATE_MESSAGE", false);
            gateway.project().write("go-on", "");
            again.send(DeviceGateway.message(session, "Another message"));
            awaitPrompt(session, "Another message");
        }
        assertThat(gateway.prompts(session)).containsExactly(content, "Another message");
        gateway.project().reset();
    }

    private static void awaitPrompt(String session, String content) {
        await().atMost(Duration.ofSeconds(30))
                .pollInterval(Duration.ofMillis(20))
                .until(() -> gateway.prompts(session).contains(content));
    }

    @Statement(id = "004-285", says = "Reconnection: notification_ack ends the replay")
    @Test
    void doesNotReplayAcknowledgedNotifications() {
        var pairing = gateway.pair();
        pairing.connect().close();
        var question = ask(device, "true");
        try (var socket = pairing.connect()) {
            var seen = socket.await("notification").path("id").asString();
            socket.send(
                    """
                    { "type": "notification_ack", "payload": { "notification_ids": ["%s"] }}"""
                            .formatted(seen));
            // Requests without a session are served in order.
            socket.ask("{ \"type\": \"message\", \"id\": \"msg-001\", \"payload\": {} }");
        }
        assertThat(notifications(pairing)).isEmpty();
        decide(device, question, "rejected");
    }

    /** Returns the notifications of a connection before the answer to its first request. */
    private static List<JsonNode> notifications(Pairing pairing) {
        try (var socket = pairing.connect()) {
            socket.send(STATUS_OF_EXAMPLE);
            var frames = socket.until(frame -> frame.path("id").asString("").equals("git-001"));
            return only("notification", frames);
        }
    }
}

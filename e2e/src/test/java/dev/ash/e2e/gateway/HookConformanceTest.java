package dev.ash.e2e.gateway;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ash.e2e.ApiResponse;
import dev.ash.e2e.AshExtension;
import dev.ash.e2e.NeedsClaude;
import java.io.IOException;
import java.nio.file.Files;
import java.util.HashMap;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.extension.RegisterExtension;
import tools.jackson.databind.json.JsonMapper;

/** Tests terminal sessions, which are reported by hooks. */
@NeedsClaude
class HookConformanceTest {
    @RegisterExtension
    static final AshExtension ash = AshExtension.claude().gateway().sampleProject();

    private static Phone phone;
    private static String token;

    @BeforeAll
    static void start() throws IOException {
        phone = Phone.enter(ash.pair());
        token = Files.readString(ash.data().resolve("hook-token")).strip();
    }

    @AfterAll
    static void stop() {
        phone.close();
    }

    private static ApiResponse hook(Map<String, ?> body) {
        return ash.api()
                .exchange(
                        "POST",
                        "/hooks/event",
                        new JsonMapper().writeValueAsString(body),
                        request -> request.setHeader("Authorization", "Bearer " + token));
    }

    private static Map<String, Object> claude(String session, String event) {
        return Map.of("session_id", session, "hook_event_name", event, "cwd", "/home/me/project");
    }

    @Test
    void reportsTheStartOfATerminalSessionToEveryDevice() {
        var session = UUID.randomUUID().toString();
        hook(claude(session, "SessionStart")).expect(200);
        phone.await("session_started", session);
        var event = phone.await("claude_event", session).path("payload");
        assertThat(event.path("event_type").asString()).isEqualTo("SessionStart");
        assertThat(event.at("/payload/working_directory").asString()).isEqualTo("/home/me/project");
        try (var other = Phone.enter(ash.pair())) {
            assertThat(other.ack().path("active_sessions").valueStream())
                    .anyMatch(each -> each.path("session_id").asString().equals(session));
        }
    }

    @TestFactory
    Stream<DynamicTest> sendsClaudeEventWithEveryFieldForTheDocumentedForm() {
        var session = UUID.randomUUID().toString();
        hook(Map.of(
                        "event_type",
                        "PostToolUse",
                        "session_id",
                        session,
                        "timestamp",
                        "2026-03-16T10:32:00Z",
                        "payload",
                        Map.of(
                                "tool",
                                "edit_file",
                                "params",
                                Map.of("file_path", "/a"),
                                "result",
                                Map.of("success", true))))
                .expect(200);
        return Checks.of("claude_event", phone.await("claude_event", session).path("payload"))
                .equal("event_type", "PostToolUse")
                .equal("session_id", session)
                .time("timestamp")
                .equal("payload/tool", "edit_file")
                .equal("payload/params/file_path", "/a")
                .equal("payload/result/success", true)
                .object("payload/raw")
                .all();
    }

    @TestFactory
    Stream<DynamicTest> sendsClaudeEventWithTheDocumentedNamesForClaudesForm() {
        var session = UUID.randomUUID().toString();
        hook(Map.of(
                        "session_id",
                        session,
                        "hook_event_name",
                        "PostToolUse",
                        "tool_name",
                        "Edit",
                        "tool_input",
                        Map.of("file_path", "/a"),
                        "tool_response",
                        Map.of("filePath", "/a")))
                .expect(200);
        return Checks.of("claude_event", phone.await("claude_event", session).path("payload"))
                .equal("event_type", "PostToolUse")
                .equal("payload/tool", "Edit")
                .equal("payload/params/file_path", "/a")
                .equal("payload/result/success", true)
                .equal("payload/raw/tool_name", "Edit")
                .all();
    }

    @Test
    void reportsAFailedToolOfATerminal() {
        var session = UUID.randomUUID().toString();
        hook(Map.of(
                        "event_type",
                        "PostToolUse",
                        "session_id",
                        session,
                        "payload",
                        Map.of("tool", "x", "result", Map.of("success", false))))
                .expect(200);
        var event = phone.await("claude_event", session);
        assertThat(event.at("/payload/payload/result/success").asBoolean(true)).isFalse();
    }

    @TestFactory
    Stream<DynamicTest> sendsAToolResultForPostToolUse() {
        var session = UUID.randomUUID().toString();
        hook(Map.of(
                        "event_type",
                        "PostToolUse",
                        "session_id",
                        session,
                        "payload",
                        Map.of(
                                "tool",
                                "edit_file",
                                "tool_call_id",
                                "call-abc123",
                                "result",
                                Map.of("success", true, "content", "File edited successfully"))))
                .expect(200);
        return Checks.of("tool_result", phone.await("tool_result", session).path("payload"))
                .equal("session_id", session)
                .equal("tool_call_id", "call-abc123")
                .equal("tool", "edit_file")
                .equal("result/success", true)
                .equal("result/content", "File edited successfully")
                .all();
    }

    @TestFactory
    Stream<DynamicTest> forwardsNotificationsOfATerminal() {
        var session = UUID.randomUUID().toString();
        hook(Map.of(
                        "session_id",
                        session,
                        "hook_event_name",
                        "Notification",
                        "cwd",
                        "/home/me/project",
                        "message",
                        "Claude is waiting for your input"))
                .expect(200);
        var frame = phone.await("notification", session);
        return Checks.of("notification", frame.path("payload"))
                .equal("session_id", session)
                .equal("notification_id", frame.path("id").asString())
                .equal("notification_type", "info")
                .equal("title", "Claude Code in project")
                .equal("body", "Claude is waiting for your input")
                .equal("priority", "normal")
                .object("data")
                .all();
    }

    @Test
    void sendsTheIdOfTheCallAndTheDescriptionWithAPermissionRequest() {
        var session = "sess-" + UUID.randomUUID();
        var call = Map.of("tool", "run_command", "params", Map.of("command", "flutter build apk"));
        var began = new HashMap<String, Object>(call);
        began.put("tool_call_id", "call-abc123");
        hook(forwarded(session, "PreToolUse", began)).expect(200);
        var asks = new HashMap<String, Object>(call);
        asks.put("description", "Build Android APK");
        asks.put("risk_level", "medium");
        var asking =
                CompletableFuture.supplyAsync(
                        () -> hook(forwarded(session, "PermissionRequest", asks)));
        var asked =
                phone.client()
                        .await(
                                "the question",
                                frame ->
                                        frame.at("/payload/description")
                                                .asString("")
                                                .equals("Build Android APK"));
        assertThat(asked.path("type").asString()).isEqualTo("approval_required");
        assertThat(asked.path("id").asString()).isEqualTo("call-abc123");
        assertThat(asked.at("/payload/tool_call_id").asString()).isEqualTo("call-abc123");
        assertThat(asked.at("/payload/risk_level").asString()).isEqualTo("medium");
        phone.client()
                .send(
                        "approval_response",
                        "call-abc123",
                        Map.of(
                                "session_id",
                                session,
                                "tool_call_id",
                                "call-abc123",
                                "decision",
                                "approved"));
        var answer = asking.orTimeout(60, TimeUnit.SECONDS).join().expect(200);
        assertThat(answer.at("/hookSpecificOutput/decision/behavior").asString())
                .as("answer with the terminal's session id")
                .isEqualTo("allow");
    }

    private static Map<String, Object> forwarded(
            String session, String event, Map<String, Object> payload) {
        return Map.of("event_type", event, "session_id", session, "payload", payload);
    }

    @Test
    void reportsTheEndOfATerminalSessionAsCompleted() {
        var session = UUID.randomUUID().toString();
        hook(claude(session, "SessionStart")).expect(200);
        hook(claude(session, "SessionEnd")).expect(200);
        assertThat(phone.await("session_end", session).at("/payload/reason").asString())
                .isEqualTo("completed");
    }

    @Test
    void answersAQuestionOfATerminalOnADevice() {
        var session = UUID.randomUUID().toString();
        var asking =
                CompletableFuture.supplyAsync(
                        () ->
                                hook(
                                        Map.of(
                                                "session_id",
                                                session,
                                                "hook_event_name",
                                                "PermissionRequest",
                                                "tool_name",
                                                "Bash",
                                                "tool_input",
                                                Map.of("command", "rm -rf build"))));
        var asked = phone.await("approval_required", session);
        assertThat(asked.at("/payload/source").asString()).isEqualTo("hooks");
        assertThat(asked.at("/payload/params/command").asString()).isEqualTo("rm -rf build");
        assertThat(asked.at("/payload/risk_level").asString()).isEqualTo("critical");
        phone.decide(asked, "modified", Map.of("modifications", Map.of("command", "rm -r build")));
        var answer = asking.orTimeout(60, TimeUnit.SECONDS).join().expect(200);
        assertThat(answer.at("/hookSpecificOutput/decision/behavior").asString())
                .isEqualTo("allow");
        assertThat(answer.at("/hookSpecificOutput/decision/updatedInput/command").asString())
                .isEqualTo("rm -r build");
    }

    @Test
    void rejectsMessagesToATerminalSession() {
        var session = UUID.randomUUID().toString();
        hook(claude(session, "SessionStart")).expect(200);
        phone.await("session_started", session);
        var error =
                phone.assertError(
                        "message",
                        Map.of("session_id", session, "content", "hello"),
                        "AGENT_ERROR",
                        true);
        assertThat(error.path("message").asString()).contains("terminal");
    }

    @Test
    void rejectsAHookWithAnotherToken() {
        ash.api()
                .exchange(
                        "POST",
                        "/hooks/event",
                        new JsonMapper()
                                .writeValueAsString(claude(UUID.randomUUID().toString(), "Stop")),
                        request -> request.setHeader("Authorization", "Bearer other"))
                .expect(401);
    }
}

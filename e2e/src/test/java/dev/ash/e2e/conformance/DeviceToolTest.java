package dev.ash.e2e.conformance;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ash.e2e.ApiResponse;
import dev.ash.e2e.AshExtension;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import tools.jackson.databind.JsonNode;

/** Document 004: tool calls, approvals and hook events. */
class DeviceToolTest {
    @RegisterExtension static final AshExtension ash = SharedServers.DEVICES;

    private static final String EDIT_PARAMS =
            """
            { "file_path": "/home/user/project/lib/features/startup/bridge_setup_screen.dart", \
            "old_string": "return wsAllowed(url);", "new_string": "return requireWss(url);" }""";

    private static DeviceGateway gateway;
    private static DeviceSocket device;
    private static String session;
    private static JsonNode call;
    private static JsonNode asked;
    private static JsonNode result;
    private static boolean editedBeforeApproval;

    @BeforeAll
    static void start() {
        gateway = DeviceGateway.of(ash, "tools");
        device = gateway.connect();
        session = gateway.startSession(device);
        device.send(DeviceGateway.message(session, "TOOL " + edit()));
        call = device.await("tool_call", session);
        asked = device.await("approval_required", session);
        editedBeforeApproval = isEdited();
        device.send(DeviceGateway.decision(asked, "approved", "null"));
        result = device.await("tool_result", session);
        device.await("last stream_end", frame -> DeviceGateway.isFinalEnd(frame, session));
    }

    @AfterAll
    static void stop() {
        device.close();
    }

    private static String params() {
        return EDIT_PARAMS.replace("/home/user/project", gateway.project().path().toString());
    }

    private static String edit() {
        return "{ \"name\": \"edit_file\", \"input\": %s }".formatted(params());
    }

    private static boolean isEdited() {
        return gateway.project().read(DeviceProject.SCREEN).contains("requireWss");
    }

    private static String callId() {
        return call.at("/payload/tool_call_id").asString();
    }

    @Statement(id = "004-140", says = "tool_call has an id")
    @Test
    void sendsAToolCallWithAnId() {
        assertThat(call.path("id").asString()).isNotBlank();
    }

    @Statement(id = "004-141", says = "tool_call: session_id")
    @Test
    void sendsTheSessionOfACall() {
        assertThat(call.at("/payload/session_id").asString()).isEqualTo(session);
    }

    @Statement(id = "004-142", says = "tool_call: tool_call_id identifies the call")
    @Test
    void sendsTheIdOfACall() {
        assertThat(callId()).startsWith("call-");
    }

    @Statement(id = "004-143", says = "tool_call: tool is the name of the tool")
    @Test
    void sendsTheNameOfTheTool() {
        assertThat(call.at("/payload/tool").asString()).isEqualTo("edit_file");
    }

    @Statement(id = "004-144", says = "tool_call: params are those of the tool")
    @Test
    void sendsTheParamsOfACall() {
        assertThat(call.at("/payload/params")).isEqualTo(DeviceGateway.json(params()));
    }

    @Statement(id = "004-145", says = "tool_call: description")
    @Test
    void describesACall() {
        assertThat(call.at("/payload/description").asString()).contains("bridge_setup_screen.dart");
    }

    @Statement(id = "004-146", says = "approval_required has the id of its tool_call")
    @Test
    void asksWithTheIdOfTheCall() {
        assertThat(asked.path("id")).isEqualTo(call.path("id"));
    }

    @Statement(id = "004-147", says = "approval_required: session_id")
    @Test
    void asksForTheSession() {
        assertThat(asked.at("/payload/session_id").asString()).isEqualTo(session);
    }

    @Statement(id = "004-148", says = "approval_required: tool_call_id is that of the tool_call")
    @Test
    void asksForTheCall() {
        assertThat(asked.at("/payload/tool_call_id").asString()).isEqualTo(callId());
    }

    @Statement(id = "004-149", says = "approval_required: tool")
    @Test
    void asksForTheTool() {
        assertThat(asked.at("/payload/tool").asString()).isEqualTo("edit_file");
    }

    @Statement(id = "004-150", says = "approval_required: params")
    @Test
    void asksWithTheParams() {
        assertThat(asked.at("/payload/params")).isEqualTo(DeviceGateway.json(params()));
    }

    @Statement(id = "004-151", says = "approval_required: description")
    @Test
    void asksWithADescription() {
        assertThat(asked.at("/payload/description").asString())
                .contains("bridge_setup_screen.dart");
    }

    @Statement(id = "004-152", says = "approval_required: risk_level is medium for an edit")
    @Test
    void asksWithARiskLevel() {
        assertThat(asked.at("/payload/risk_level").asString()).isEqualTo("medium");
    }

    @Statement(id = "004-153", says = "approval_required: source agent_sdk")
    @Test
    void asksForTheAgentSdk() {
        assertThat(asked.at("/payload/source").asString()).isEqualTo("agent_sdk");
    }

    @Statement(id = "004-154", says = "A tool call that requires approval waits for it")
    @Test
    void doesNotRunTheToolBeforeTheApproval() {
        assertThat(editedBeforeApproval).isFalse();
    }

    @Statement(id = "004-155", says = "approval_response: decision approved runs the tool")
    @Test
    void runsAnApprovedTool() {
        assertThat(isEdited()).isTrue();
    }

    /** Asks for a command and returns the result after this decision. */
    private static JsonNode decided(String command, String decision, String modifications) {
        var prompt = DeviceGateway.tool("run_command", Map.of("command", command));
        device.send(DeviceGateway.message(session, prompt));
        var question = device.await("approval_required", session);
        device.send(DeviceGateway.decision(question, decision, modifications));
        var answer = device.await("tool_result", session);
        device.await("last stream_end", frame -> DeviceGateway.isFinalEnd(frame, session));
        return answer;
    }

    @Statement(id = "004-156", says = "approval_response: decision rejected prevents the tool")
    @Test
    void doesNotRunARejectedTool() {
        var answer = decided("touch rejected.txt", "rejected", "null");
        assertThat(gateway.project().has("rejected.txt")).isFalse();
        assertThat(answer.at("/payload/result/success").asBoolean(true)).isFalse();
    }

    @Statement(id = "004-157", says = "approval_response: decision modified runs other params")
    @Test
    void runsAModifiedTool() {
        decided("touch first.txt", "modified", "{ \"command\": \"touch second.txt\" }");
        assertThat(gateway.project().has("second.txt")).isTrue();
        assertThat(gateway.project().has("first.txt")).isFalse();
    }

    @Statement(id = "004-158", says = "approval_response: modifications null keeps the params")
    @Test
    void keepsTheParamsWithoutModifications() {
        decided("touch kept.txt", "approved", "null");
        assertThat(gateway.project().has("kept.txt")).isTrue();
    }

    @Statement(id = "004-159", says = "tool_result: session_id")
    @Test
    void sendsTheSessionOfAResult() {
        assertThat(result.at("/payload/session_id").asString()).isEqualTo(session);
    }

    @Statement(id = "004-160", says = "tool_result: tool_call_id is that of the tool_call")
    @Test
    void sendsTheCallOfAResult() {
        assertThat(result.at("/payload/tool_call_id").asString()).isEqualTo(callId());
    }

    @Statement(id = "004-161", says = "tool_result: tool")
    @Test
    void sendsTheToolOfAResult() {
        assertThat(result.at("/payload/tool").asString()).isEqualTo("edit_file");
    }

    @Statement(id = "004-162", says = "tool_result: result.success")
    @Test
    void reportsSuccess() {
        assertThat(result.at("/payload/result/success").isBoolean()).isTrue();
        assertThat(result.at("/payload/result/success").asBoolean()).isTrue();
    }

    @Statement(id = "004-163", says = "tool_result: result.content")
    @Test
    void sendsTheContentOfAResult() {
        assertThat(result.at("/payload/result/content").asString())
                .isEqualTo("File edited successfully");
    }

    @Statement(id = "004-164", says = "tool_result: result.diff is a unified diff")
    @Test
    void sendsAUnifiedDiff() {
        assertThat(result.at("/payload/result/diff").asString().lines())
                .anyMatch(line -> line.startsWith("--- "))
                .anyMatch(line -> line.startsWith("+++ "))
                .anyMatch(line -> line.startsWith("@@ -"))
                .contains("-  return wsAllowed(url);", "+  return requireWss(url);");
    }

    /** Sends the document's hook event and returns the frame that a device receives. */
    private static JsonNode claudeEvent(String terminal) {
        gateway.hook(
                        DeviceGateway.hookEvent(
                                "PostToolUse",
                                terminal,
                                "{ \"tool\": \"edit_file\", \"result\": { \"success\": true } }"))
                .expect(200);
        return device.await(
                "PostToolUse of " + terminal,
                frame ->
                        DeviceSocket.is("claude_event", terminal).test(frame)
                                && frame.at("/payload/event_type")
                                        .asString()
                                        .equals("PostToolUse"));
    }

    @Statement(id = "004-165", says = "claude_event: event_type and session_id of the hook event")
    @Test
    void forwardsAHookEvent() {
        var terminal = UUID.randomUUID().toString();
        var event = claudeEvent(terminal);
        assertThat(event.at("/payload/event_type").asString()).isEqualTo("PostToolUse");
        assertThat(event.at("/payload/session_id").asString()).isEqualTo(terminal);
    }

    @Statement(id = "004-166", says = "claude_event: timestamp is that of the hook event")
    @Test
    void keepsTheTimestampOfAHookEvent() {
        assertThat(claudeEvent(UUID.randomUUID().toString()).at("/payload/timestamp").asString())
                .isEqualTo("2026-03-16T10:32:00Z");
    }

    @Statement(id = "004-167", says = "claude_event: payload.tool")
    @Test
    void forwardsTheToolOfAHookEvent() {
        var event = claudeEvent(UUID.randomUUID().toString());
        assertThat(event.at("/payload/payload/tool").asString()).isEqualTo("edit_file");
    }

    @Statement(id = "004-168", says = "claude_event: payload.result.success")
    @Test
    void forwardsTheResultOfAHookEvent() {
        var event = claudeEvent(UUID.randomUUID().toString());
        assertThat(event.at("/payload/payload/result/success").asBoolean(false)).isTrue();
    }

    @Statement(id = "004-169", says = "tool_result: a terminal's tool has one, too")
    @Test
    void sendsTheResultOfATerminalsTool() {
        var terminal = UUID.randomUUID().toString();
        claudeEvent(terminal);
        var frame = device.await("tool_result", terminal);
        assertThat(frame.at("/payload/tool").asString()).isEqualTo("edit_file");
        assertThat(frame.at("/payload/result/success").asBoolean(false)).isTrue();
    }

    /** Requests approval of the document's command from a terminal. */
    private static CompletableFuture<ApiResponse> askFromTerminal(String terminal) {
        var event =
                DeviceGateway.hookEvent(
                        "PreToolUse",
                        terminal,
                        """
                        { "tool": "run_command", "params": { "command": "flutter build apk" }, \
                        "tool_call_id": "call-abc123", "description": "Build Android APK", \
                        "risk_level": "medium", "requires_approval": true }""");
        return CompletableFuture.supplyAsync(() -> gateway.hook(event));
    }

    private static ApiResponse answered(CompletableFuture<ApiResponse> waiting) {
        return waiting.orTimeout(30, TimeUnit.SECONDS).join().expect(200);
    }

    @Statement(id = "004-170", says = "approval_required: the example of source hooks")
    @Test
    void asksForATerminal() {
        var terminal = UUID.randomUUID().toString();
        var waiting = askFromTerminal(terminal);
        var question = device.await("approval_required", terminal);
        device.send(DeviceGateway.decision(question, "approved", "null"));
        answered(waiting);
        var expected =
                """
                { "session_id": "sess-abc123", "tool_call_id": "call-abc123", \
                "tool": "run_command", "params": { "command": "flutter build apk" }, \
                "description": "Build Android APK", "risk_level": "medium", "source": "hooks" }"""
                        .replace("sess-abc123", terminal);
        assertThat(question.path("payload")).isEqualTo(DeviceGateway.json(expected));
    }

    @Statement(id = "004-171", says = "approval_response: approved lets a terminal's tool run")
    @Test
    void approvesATerminalsTool() {
        assertThat(permission("approved", "null").at("/permissionDecision").asString())
                .isEqualTo("allow");
    }

    /** Returns the decision that the terminal receives. */
    private static JsonNode permission(String decision, String modifications) {
        var terminal = UUID.randomUUID().toString();
        var waiting = askFromTerminal(terminal);
        var question = device.await("approval_required", terminal);
        device.send(DeviceGateway.decision(question, decision, modifications));
        return answered(waiting).at("/hookSpecificOutput");
    }

    @Statement(id = "004-172", says = "approval_response: rejected denies a terminal's tool")
    @Test
    void rejectsATerminalsTool() {
        assertThat(permission("rejected", "null").at("/permissionDecision").asString())
                .isEqualTo("deny");
    }

    @Statement(id = "004-173", says = "approval_response: modified changes a terminal's params")
    @Test
    void modifiesATerminalsTool() {
        var output = permission("modified", "{ \"command\": \"flutter build ios\" }");
        assertThat(output.at("/permissionDecision").asString()).isEqualTo("allow");
        assertThat(output.at("/updatedInput/command").asString()).isEqualTo("flutter build ios");
    }

    @Statement(id = "004-174", says = "The id sess-abc123 of a terminal works in a request")
    @Test
    void acceptsTheTerminalsOwnSessionId() {
        gateway.hook(
                        DeviceGateway.hookEvent(
                                "SessionStart",
                                "sess-abc123",
                                "{ \"working_directory\": \"%s\" }"
                                        .formatted(gateway.project().path())))
                .expect(200);
        var status =
                device.ask(
                        """
                        { "type": "git_status_request", "id": "git-001", \
                        "payload": { "session_id": "sess-abc123" }}""");
        assertThat(status.path("type").asString())
                .as("%s", status)
                .isEqualTo("git_status_response");
        assertThat(status.at("/payload/branch").asString()).isEqualTo(DeviceProject.BRANCH);
    }
}

package dev.ash.e2e;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.ash.e2e.gateway.DeviceClient;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import tools.jackson.databind.JsonNode;

/**
 * Tests Claude Code in a user's own terminal, outside Ash, with the hooks that {@code ash hooks
 * install} adds to its settings.
 */
@NeedsClaude
class HooksTest {
    private static final String KEY = "sk-test-key-of-nobody-0123456789";

    @RegisterExtension final AshExtension ash = AshExtension.demo().gateway();

    private Path home;
    private Path project;

    @BeforeEach
    void start() throws IOException {
        project = ash.directory().write("project", Map.of("README.md", "mine\n")).toRealPath();
        home = ash.directory().write("home", Map.of(".claude.json", configuration()));
    }

    /**
     * Returns the CLI's configuration after its first start: onboarding completed, key accepted,
     * directory trusted.
     */
    private String configuration() {
        return Api.json(
                Map.of(
                        "hasCompletedOnboarding",
                        true,
                        "theme",
                        "dark",
                        "customApiKeyResponses",
                        Map.of("approved", List.of(KEY.substring(KEY.length() - 20))),
                        "projects",
                        Map.of(
                                project.toString(),
                                Map.of(
                                        "hasTrustDialogAccepted",
                                        true,
                                        "hasCompletedProjectOnboarding",
                                        true))));
    }

    @Test
    void answersTerminalApprovalOverApi() throws Exception {
        ash("hooks", "install");
        try (var terminal = terminal()) {
            terminal.awaitText("for shortcuts");
            terminal.typeLine(Script.bash("touch approved.txt"));

            var question = awaitQuestion();
            assertThat(question.path("source").asString()).isEqualTo("hooks");
            assertThat(question.at("/input/command").asString()).isEqualTo("touch approved.txt");
            terminal.awaitText("Do you want to proceed?"); // the terminal asks, too
            assertThat(project.resolve("approved.txt")).doesNotExist();
            answer(question, Map.of("decision", "approved"));
            terminal.awaitText("Allowed by PermissionRequest hook");
            terminal.awaitText("tool said:");
            assertThat(project.resolve("approved.txt")).exists();

            terminal.typeLine(Script.bash("touch denied.txt"));
            answer(awaitQuestion(), Map.of("decision", "rejected", "message", "not on a Friday"));
            terminal.awaitText("not on a Friday");
            terminal.awaitText("tool said:");
            assertThat(project.resolve("denied.txt")).doesNotExist();

            terminal.typeLine(Script.bash("touch first.txt"));
            answer(
                    awaitQuestion(),
                    Map.of("decision", "modified", "input", Map.of("command", "touch second.txt")));
            terminal.awaitText("tool said:");
            assertThat(project.resolve("first.txt")).doesNotExist();
            assertThat(project.resolve("second.txt")).exists();
        }
        var session = onlySession();
        assertThat(session.path("directory").asString()).isEqualTo(project.toString());
        assertThat(session.path("title").asString()).startsWith("TOOL:Bash");
        assertThat(eventNames(session))
                .contains("SessionStart", "UserPromptSubmit", "PreToolUse", "PermissionRequest")
                .contains("PostToolUse", "Stop");
    }

    @Test
    void deviceFollowsTerminalAndAnswersApprovals() throws Exception {
        ash("hooks", "install");
        try (var phone = DeviceClient.enter(ash.pair());
                var terminal = terminal()) {
            terminal.awaitText("for shortcuts");
            var session = phone.await("session_started").at("/payload/session_id").asString();
            terminal.typeLine(Script.bash("touch approved.txt"));

            var asked = phone.await("approval_required").path("payload");
            assertThat(asked.path("session_id").asString()).isEqualTo(session);
            assertThat(asked.path("source").asString()).isEqualTo("hooks");
            assertThat(asked.at("/params/command").asString()).isEqualTo("touch approved.txt");
            assertThat(project.resolve("approved.txt")).doesNotExist();
            decide(phone, asked, Map.of("decision", "approved"));
            terminal.awaitText("Allowed by PermissionRequest hook");
            terminal.awaitText("tool said:");
            assertThat(project.resolve("approved.txt")).exists();

            terminal.typeLine(Script.bash("touch denied.txt"));
            var again = phone.await("approval_required").path("payload");
            decide(phone, again, Map.of("decision", "rejected", "message", "not from here"));
            terminal.awaitText("not from here");
            terminal.awaitText("tool said:");
            assertThat(project.resolve("denied.txt")).doesNotExist();

            for (var event : List.of("SessionStart", "UserPromptSubmit", "PostToolUse", "Stop")) {
                var received =
                        phone.await(
                                event,
                                frame ->
                                        frame.at("/payload/event_type").asString("").equals(event));
                assertThat(received.path("type").asString()).isEqualTo("claude_event");
                assertThat(received.at("/payload/session_id").asString()).isEqualTo(session);
            }
            try (var second = DeviceClient.connect(ash.pair())) {
                var sessions = second.auth(ash.pair().token());
                assertThat(sessions.path("active_sessions").get(0).path("session_id").asString())
                        .isEqualTo(session);
            }
        }
    }

    private static void decide(DeviceClient phone, JsonNode asked, Map<String, ?> decision) {
        var answer = new HashMap<String, Object>(decision);
        answer.put("session_id", asked.path("session_id").asString());
        answer.put("tool_call_id", asked.path("tool_call_id").asString());
        phone.send("approval_response", "answer", answer);
    }

    @Test
    void answerInTerminalCancelsApproval() throws Exception {
        ash("hooks", "install");
        try (var terminal = terminal()) {
            terminal.awaitText("for shortcuts");
            terminal.typeLine(Script.bash("touch here.txt"));
            var question = awaitQuestion();
            terminal.awaitText("Do you want to proceed?");

            terminal.type("1");

            terminal.awaitText("tool said:");
            assertThat(project.resolve("here.txt")).exists();
            awaitCancelled(question);

            terminal.typeLine(Script.bash("touch stopped.txt"));
            var next = awaitQuestion();
            terminal.awaitText("Do you want to proceed?");
            terminal.type("\u001b");
            awaitCancelled(next);
            assertThat(project.resolve("stopped.txt")).doesNotExist();
        }
    }

    private void awaitCancelled(JsonNode question) {
        var path = "/api/approvals/" + question.path("id").asString();
        await().atMost(Duration.ofMinutes(1))
                .until(
                        () ->
                                ash.api()
                                        .get(path)
                                        .at("/approval/status")
                                        .asString()
                                        .equals("cancelled"));
    }

    @Test
    void terminalAsksWhenServerIsStopped() throws Exception {
        ash("hooks", "install");
        assertThat(ash("hooks", "status").exit()).isZero();
        ash.stop();
        assertThat(ash("hooks", "status").exit()).isEqualTo(3);
        try (var terminal = terminal()) {
            terminal.awaitText("for shortcuts");
            terminal.typeLine(Script.bash("touch asked.txt"));

            terminal.awaitText("Do you want to proceed?");

            assertThat(project.resolve("asked.txt")).doesNotExist();
            terminal.type("1");
            terminal.awaitText("tool said:");
            assertThat(project.resolve("asked.txt")).exists();
        }
    }

    @Test
    void headlessRunAsksForListedTools() throws Exception {
        ash("hooks", "install", "--ask", "Bash");
        var prompt =
                Script.bash("touch approved.txt")
                        + "\n"
                        + Script.bash("touch denied.txt")
                        + "\nSAY:both are done";
        var process = claude("-p", prompt, "--allowedTools", "Bash");

        answer(awaitQuestion(), Map.of("decision", "approved"));
        answer(awaitQuestion(), Map.of("decision", "rejected", "message", "no more of these"));

        var said = new String(process.getInputStream().readAllBytes(), UTF_8);
        assertThat(process.waitFor(60, TimeUnit.SECONDS)).isTrue();
        assertThat(said).contains("both are done");
        assertThat(project.resolve("approved.txt")).exists();
        assertThat(project.resolve("denied.txt")).doesNotExist();
        assertThat(ash.model().turns().getLast().toolResults().getLast().text())
                .contains("no more of these");
        assertThat(eventNames(onlySession()))
                .startsWith("SessionStart")
                .endsWith("SessionEnd")
                .filteredOn("PreToolUse"::equals)
                .hasSize(2);
        assertThat(onlySession().path("status").asString()).isEqualTo("ended");
    }

    @Test
    void headlessRunDeniesUnapprovedTools() throws Exception {
        ash("hooks", "install", "--ask", "Bash");
        ash.stop();

        var process = claude("-p", Script.bash("touch never.txt"), "--allowedTools", "Bash");

        process.getInputStream().readAllBytes();
        assertThat(process.waitFor(60, TimeUnit.SECONDS)).isTrue();
        assertThat(project.resolve("never.txt")).doesNotExist();
    }

    private JsonNode awaitQuestion() {
        var pending = new ArrayList<JsonNode>();
        await().atMost(Duration.ofSeconds(60))
                .until(
                        () -> {
                            pending.clear();
                            ash.api()
                                    .get("/api/approvals?status=pending")
                                    .at("/approvals")
                                    .forEach(pending::add);
                            return !pending.isEmpty();
                        });
        assertThat(pending).hasSize(1);
        return pending.getFirst();
    }

    private void answer(JsonNode question, Map<String, ?> decision) {
        ash.api().post("/api/approvals/" + question.path("id").asString(), decision).expect(200);
    }

    private JsonNode onlySession() {
        var sessions = ash.api().get("/api/hooks/sessions").expect(200).at("/sessions");
        assertThat(sessions.size()).isEqualTo(1);
        return sessions.get(0);
    }

    private List<String> eventNames(JsonNode session) {
        var eventNames = new ArrayList<String>();
        var path = "/api/hooks/sessions/" + session.path("id").asString() + "/events";
        for (var row : ash.api().get(path).expect(200).at("/events")) {
            eventNames.add(
                    row.path("data")
                            .asString()
                            .replaceAll(".*\"hook_event_name\":\"(\\w+)\".*", "$1"));
        }
        return eventNames;
    }

    private Map<String, String> environment() {
        return Map.of(
                "HOME",
                home.toString(),
                "ANTHROPIC_API_KEY",
                KEY,
                "ANTHROPIC_BASE_URL",
                ash.model().url(),
                "DISABLE_AUTOUPDATER",
                "1",
                "DISABLE_TELEMETRY",
                "1",
                "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC",
                "1");
    }

    private Terminal terminal() {
        return Terminal.run(NeedsClaude.Condition.program().toString(), project, environment());
    }

    private Process claude(String... arguments) throws IOException {
        var command = new ArrayList<String>();
        command.add(NeedsClaude.Condition.program().toString());
        command.addAll(List.of(arguments));
        return startProcess(command, environment());
    }

    private Process startProcess(List<String> command, Map<String, String> environment)
            throws IOException {
        var builder = new ProcessBuilder(command).directory(project.toFile());
        builder.environment().keySet().retainAll(Set.of("PATH", "LANG"));
        builder.environment().putAll(environment);
        var process = builder.redirectErrorStream(true).start();
        process.getOutputStream().close();
        return process;
    }

    private record Result(int exit, String said) {}

    private Result ash(String... arguments) throws Exception {
        var command = new ArrayList<>(ServerLaunch.cli());
        command.addAll(List.of(arguments));
        var process =
                startProcess(
                        command,
                        Map.of(
                                "HOME", home.toString(),
                                "ASH_SERVER_URL", ash.api().base(),
                                "ASH_DATA_DIR", ash.data().toString()));
        var said = new String(process.getInputStream().readAllBytes(), UTF_8);
        assertThat(process.waitFor(60, TimeUnit.SECONDS)).isTrue();
        var result = new Result(process.exitValue(), said);
        if (arguments[1].equals("install")) {
            assertThat(result.exit()).as(said).isZero();
            assertThat(Files.readString(home.resolve(".claude/settings.json")))
                    .contains("ash-hook");
        }
        return result;
    }
}

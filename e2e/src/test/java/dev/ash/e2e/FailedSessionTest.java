package dev.ash.e2e;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.ash.e2e.gateway.DeviceClient;
import java.io.IOException;
import java.nio.file.Files;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * Checks that the next message resumes a session in state {@code error}, whether it comes from the
 * API, a device or the CLI.
 */
class FailedSessionTest {
    @RegisterExtension
    static final AshExtension ash =
            AshExtension.agentsBridge().gateway().agentWithBridge("plain", "resume_bridge.py");

    private static TestSession failed() throws IOException {
        var session = ash.session("plain");
        Files.writeString(session.sandbox().resolve("workspace/answer"), "done");
        assertThat(Frame.names(session.ask("DIE"))).endsWith("error", "done");
        return session;
    }

    private static ApiResponse send(TestSession session, String text) {
        return ash.api().post(session.path() + "/messages", Map.of("content", text));
    }

    @Test
    void nextMessageStartsNewSandbox() throws IOException {
        var session = failed();
        assertThat(session.status()).isEqualTo("error");

        assertThat(Frame.said(session.ask("hello"))).isEqualTo("hello");

        assertThat(session.status()).isEqualTo("active");
        assertThat(session.lifecycle().getLast()).contains("resumed", "cold");
        assertThat(session.workspaceFile("starts")).isEqualTo("xx");
    }

    /** Sends the next message while the server still records the failure. */
    @Test
    void acceptsMessageImmediatelyAfterFailure() throws IOException {
        var session = failed();
        for (int i = 0; i < 3; i++) {
            assertThat(Frame.names(session.ask("DIE"))).endsWith("error", "done");
        }

        assertThat(Frame.said(session.ask("hello"))).isEqualTo("hello");
    }

    @Test
    void concurrentMessagesStartOneSandbox() throws Exception {
        var session = failed();
        var queue = Map.of("whenBusy", "queue");

        var answers = ConcurrentTasks.runAll(4, i -> session.send("prompt " + i, queue).rest());

        assertThat(answers).allSatisfy(frames -> assertThat(Frame.said(frames)).contains("prompt"));
        assertThat(session.workspaceFile("starts")).isEqualTo("xx");
    }

    @Test
    void reportsFailedSandboxStartAndStaysResumable() throws IOException {
        var session = failed();
        session.ask("BREAK");

        for (int i = 0; i < 2; i++) {
            send(session, "hello").refused(502, "SANDBOX_FAILED", "did not start", "bridge.py");
            assertThat(session.status()).isEqualTo("error");
        }
        var bridge = session.sandbox().resolve("workspace/bridge.py");
        Files.writeString(bridge, Resources.text("bridges/resume_bridge.py"));

        assertThat(Frame.said(session.ask("hello"))).isEqualTo("hello");
    }

    @Test
    void startsOneSandboxPerMessageIfItExitsImmediately() throws IOException {
        var session = failed();
        Files.writeString(session.sandbox().resolve("workspace/answer"), "exit");

        for (int i = 0; i < 3; i++) {
            var answer = send(session, "hello");
            if (answer.status() == 200) { // the bridge ran until the turn started
                assertThat(Frame.names(answer.frames())).endsWith("error", "done");
            } else {
                answer.refused(502, "SANDBOX_FAILED");
            }
        }

        assertThat(session.workspaceFile("starts")).isEqualTo("xxxx");
        Files.writeString(session.sandbox().resolve("workspace/answer"), "done");
        assertThat(Frame.said(session.ask("hello"))).isEqualTo("hello");
    }

    @Test
    void queuedMessagesResumeSession() throws IOException {
        var session = ash.session("plain");
        Files.writeString(session.sandbox().resolve("workspace/answer"), "done");
        try (var running = session.send("HOLD")) {
            running.next("message");
            try (var first = session.send("first", Map.of("whenBusy", "queue"));
                    var second = session.send("second", Map.of("whenBusy", "queue"))) {
                session.signal("go");

                assertThat(Frame.names(running.rest())).endsWith("error", "done");
                assertThat(Frame.said(first.rest())).isEqualTo("first");
                assertThat(Frame.said(second.rest())).isEqualTo("second");
            }
        }
        assertThat(session.status()).isEqualTo("active");
    }

    @Test
    void sessionPausedByClientRequiresResume() {
        var session = ash.session("plain");
        assertThat(pausedBy(session)).isEmpty();
        for (var action : List.of("pause", "stop")) {
            session.post(action).expect(200);
            assertThat(pausedBy(session)).isEqualTo("client");
            assertThat(listedPausedBy(session)).isEqualTo("client");
            send(session, "hello").refused(400, "SESSION_NOT_ACTIVE", "resume");
        }

        session.post("resume").expect(200);

        assertThat(pausedBy(session)).isEmpty();
    }

    @Test
    void pausedSessionStaysPausedWhenSandboxDies() throws IOException {
        var session = ash.session("plain");
        Files.writeString(session.sandbox().resolve("workspace/answer"), "done");
        session.post("pause").expect(200);

        for (var process : session.processes()) { // killing the first may terminate the others
            ProcessHandle.of(process.pid()).ifPresent(ProcessHandle::destroyForcibly);
        }
        await().atMost(Duration.ofMinutes(1)).until(() -> session.processes().isEmpty());

        send(session, "hello").refused(400, "SESSION_NOT_ACTIVE", "paused", "resume");
        assertThat(pausedBy(session)).isEqualTo("client");
        session.post("resume").expect(200);
        assertThat(Frame.said(session.ask("hello"))).isEqualTo("hello");
    }

    private static String pausedBy(TestSession session) {
        return ash.api().get(session.path()).at("/session/pausedBy").asString("");
    }

    private static String listedPausedBy(TestSession session) {
        return ash.api()
                .get("/api/sessions?limit=1000")
                .at("/sessions")
                .valueStream()
                .filter(row -> row.path("id").asString().equals(session.id()))
                .findFirst()
                .orElseThrow()
                .path("pausedBy")
                .asString("");
    }

    @Test
    void deviceMessageResumesSession() throws IOException {
        var session = failed();
        try (var phone = DeviceClient.enter(ash.pair())) {
            var payload = Map.of("agent", "plain", "session_id", session.id(), "resume", true);
            phone.request("session_start", payload);
            sendMessage(phone, session, "m1", "DIE");
            var ended = phone.await("session_end").path("payload");
            assertThat(ended.path("reason").asString()).isEqualTo("error");

            sendMessage(phone, session, "m2", "hello from a phone");

            await().atMost(Duration.ofMinutes(1))
                    .pollInterval(Duration.ofMillis(20))
                    .until(
                            () ->
                                    Frame.said(new Store(ash.data()).frames(session.id()))
                                            .contains("hello from a phone"));
            phone.await("stream_end");
        }
        assertThat(session.status()).isEqualTo("active");
    }

    private static void sendMessage(
            DeviceClient phone, TestSession session, String id, String text) {
        phone.send(
                "message", id, Map.of("session_id", session.id(), "content", text, "role", "user"));
    }

    @Test
    void cliMessageResumesSession() throws Exception {
        var session = failed();
        var command = new ArrayList<>(ServerLaunch.cli());
        command.addAll(List.of("session", "send", session.id(), "hello from a terminal"));
        var builder = new ProcessBuilder(command).redirectErrorStream(true);
        builder.environment().put("ASH_SERVER_URL", ash.api().base());
        builder.environment().put("ASH_API_KEY", ash.api().key());

        var process = builder.start();
        process.getOutputStream().close();
        var output = new String(process.getInputStream().readAllBytes());

        assertThat(process.waitFor(60, TimeUnit.SECONDS)).isTrue();
        assertThat(process.exitValue()).as(output).isZero();
        assertThat(output).contains("hello from a terminal").doesNotContain("resume");
    }
}

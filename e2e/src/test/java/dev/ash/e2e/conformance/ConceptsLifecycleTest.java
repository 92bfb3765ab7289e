package dev.ash.e2e.conformance;

import static dev.ash.e2e.conformance.DocumentBridgeAgent.prompt;
import static java.util.Comparator.naturalOrder;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.ash.e2e.ApiResponse;
import dev.ash.e2e.AshExtension;
import dev.ash.e2e.Frame;
import dev.ash.e2e.TestSession;
import java.io.IOException;
import java.nio.file.Files;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import tools.jackson.databind.JsonNode;

/** Documents 001 and 003: each transition of the state diagrams, and each state. */
class ConceptsLifecycleTest {
    private static final String ADR_3 =
            "docs/adr/0003-error-can-resume-and-stopped-exists.md#decision";

    private static final String STATE = "docs/differences.md#session-state";

    @RegisterExtension static final AshExtension ash = SharedServers.SEED;

    /** A session that is created while its bridge waits for a file. */
    private static JsonNode starting;

    private static ApiResponse created;
    private static ApiResponse failed;

    /** One session in each state, which no test changes. */
    private static TestSession active;

    private static TestSession paused;
    private static TestSession crashed;
    private static TestSession ended;

    /** A session that crashed and was resumed, and one that was paused, stopped and resumed. */
    private static TestSession recovered;

    private static TestSession resumed;
    private static Duration warmResume;
    private static Duration coldResume;
    private static Object inode;

    @BeforeAll
    static void start() throws Exception {
        DocumentBridgeAgent.deploy(ash.server(), "document", "");
        DocumentBridgeAgent.deploy(ash.server(), "gated", "gated");
        DocumentBridgeAgent.deploy(ash.server(), "broken", "broken");
        createGated();
        failed = ash.api().post("/api/sessions", Map.of("agent", "broken"));
        active = ash.session("document");
        paused = ash.session("document");
        paused.ask("SAY before the pause");
        paused.post("pause").expect(200);
        ended = ash.session("document");
        ended.end().expect(200);
        crashed = crash(ash.session("document"));
        recovered = crash(ash.session("document"));
        Files.writeString(recovered.sandbox().resolve("workspace/kept.txt"), "kept");
        recovered.post("resume").expect(200);
        pauseStopAndResume();
    }

    private static void pauseStopAndResume() throws IOException {
        resumed = ash.session("document");
        assertThat(count(resumed)).isEqualTo("1");
        warmResume =
                Stream.generate(ConceptsLifecycleTest::pauseAndResume)
                        .limit(3)
                        .min(naturalOrder())
                        .get();
        assertThat(count(resumed)).as("prompts of the same process").isEqualTo("2");
        inode = inodeOfWorkspace();
        resumed.post("stop").expect(200);
        assertThat(resumed.processes()).isEmpty();
        assertThat(resumed.sandbox().resolve("workspace/received.jsonl")).exists();
        assertThat(resumed.sandbox().resolve("home")).isDirectory();
        var start = System.nanoTime();
        resumed.post("resume").expect(200);
        assertThat(count(resumed)).as("prompts of a new process").isEqualTo("1");
        coldResume = Duration.ofNanos(System.nanoTime() - start);
    }

    private static Duration pauseAndResume() {
        resumed.post("pause").expect(200);
        var start = System.nanoTime();
        resumed.post("resume").expect(200);
        return Duration.ofNanos(System.nanoTime() - start);
    }

    private static Object inodeOfWorkspace() throws IOException {
        return Files.getAttribute(resumed.sandbox().resolve("workspace/bridge.py"), "unix:ino");
    }

    private static void createGated() throws Exception {
        try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
            var creating =
                    CompletableFuture.supplyAsync(
                            () -> ash.api().post("/api/sessions", Map.of("agent", "gated")),
                            threads);
            var listed =
                    await().atMost(Duration.ofMinutes(1))
                            .pollInterval(Duration.ofMillis(10))
                            .until(
                                    () -> ash.api().get("/api/sessions?agent=gated"),
                                    answer -> answer.at("/total").asInt() == 1);
            starting = listed.at("/sessions/0");
            var workspace =
                    ash.data()
                            .resolve("sandboxes")
                            .resolve(starting.path("sandboxId").asString())
                            .resolve("workspace");
            await().atMost(Duration.ofMinutes(1))
                    .pollInterval(Duration.ofMillis(10))
                    .until(() -> Files.exists(workspace.resolve("bridge.py")));
            Files.createFile(workspace.resolve("go"));
            created = creating.get(60, TimeUnit.SECONDS);
        }
    }

    @Test
    @Statement(id = "001-94", says = "[*] --> starting: POST /api/sessions")
    void isStartingBeforeTheSandboxIsReady() {
        assertThat(starting.path("status").asString()).isEqualTo("starting");
    }

    @Test
    @Statement(id = "001-95", says = "starting --> active: sandbox ready")
    void isActiveOnceTheSandboxIsReady() {
        assertThat(created.expect(201).at("/session/status").asString()).isEqualTo("active");
        assertThat(created.at("/session/id").asString()).isEqualTo(starting.path("id").asString());
    }

    @Test
    @Statement(id = "001-96", says = "starting --> error: sandbox failed")
    void isInErrorIfTheSandboxFails() {
        failed.refused(502, "SANDBOX_FAILED", "this bridge is broken");
        assertThat(failedSession().path("status").asString()).isEqualTo("error");
    }

    @Test
    @Statement(id = "001-97", says = "active --> active: send messages")
    void staysActiveAfterMessages() {
        active.ask("SAY");
        active.ask("SAY");

        assertThat(active.status()).isEqualTo("active");
    }

    @Test
    @Statement(id = "001-98", says = "active --> paused: POST pause")
    void isPausedByPost() {
        assertThat(paused.status()).isEqualTo("paused");
    }

    @Test
    @Statement(
            id = "001-99",
            says = "active --> paused: runner died",
            verdict = Verdict.NOT_YET,
            instead = "there are no remote runners: a session has no runner that could die",
            see = "docs/differences.md#coordinator-mode-and-runners")
    void hasNoRunner() {
        assertThat(active.created().path("runnerId").isNull()).isTrue();
    }

    @Test
    @Statement(id = "001-100", says = "active --> ended: DELETE /api/sessions/id")
    void isEndedByDelete() {
        assertThat(ended.status()).isEqualTo("ended");
    }

    @Test
    @Statement(id = "001-101", says = "active --> error: sandbox crashed")
    void isInErrorAfterACrash() {
        assertThat(crashed.status()).isEqualTo("error");
    }

    @Test
    @Statement(id = "001-102", says = "paused --> active: POST resume")
    void isActiveAfterPausingAndResuming() {
        assertThat(resumed.status()).isEqualTo("active");
        assertThat(resumed.lifecycle())
                .anyMatch(data -> data.contains("paused"))
                .anyMatch(data -> data.contains("resumed") && data.contains("warm"));
    }

    @Test
    @Statement(
            id = "001-103",
            says = "error --> [*]: error is final",
            verdict = Verdict.DIFFERS,
            instead = "a session in error can be resumed, as document 003 says",
            see = ADR_3)
    void resumesASessionInError() {
        assertThat(recovered.status()).isEqualTo("active");
    }

    @Test
    @Statement(id = "001-104", says = "ended --> [*]: ended is final")
    void leavesEndedSessionsEnded() {
        ended.post("resume").refused(410, "SESSION_ENDED");
        ended.post("pause").refused(410, "SESSION_ENDED");
    }

    @Test
    @Statement(
            id = "001-105",
            says = "The states are starting, active, paused, ended and error",
            verdict = Verdict.DIFFERS,
            instead = "there is a sixth, stopped, for POST stop",
            see = ADR_3)
    void alsoHasTheStateStopped() {
        var session = ash.session("document");

        assertThat(session.post("stop").expect(200).at("/session/status").asString())
                .isEqualTo("stopped");
    }

    @Test
    @Statement(
            id = "001-41",
            says = "persistSessionState() persists the state of a session",
            verdict = Verdict.DIFFERS,
            instead = "nothing is copied: workspace and home stay in place",
            see = STATE)
    void keepsWorkspaceAndHomeInPlaceWhenASandboxEnds() throws IOException {
        assertThat(inodeOfWorkspace()).isEqualTo(inode);
        assertThat(resumed.sandbox().resolve("home")).isDirectory();
    }

    @Test
    @Statement(
            id = "001-42",
            says = "restoreSessionState() restores it for session resume",
            verdict = Verdict.DIFFERS,
            instead = "the new sandbox is given the same directories",
            see = STATE)
    void givesANewSandboxTheSameDirectories() {
        var directories =
                DocumentBridgeAgent.starts(resumed).stream()
                        .map(start -> start.path("environment").path("ASH_WORKSPACE_DIR"))
                        .distinct();

        assertThat(directories).hasSize(1);
        assertThat(DocumentBridgeAgent.starts(resumed)).hasSize(2);
    }

    @Test
    @Statement(id = "003-04", says = "A session is a stateful conversation")
    void keepsTheStateOfAConversationBetweenMessages() {
        var session = ash.session("document");

        assertThat(count(session)).isEqualTo("1");
        assertThat(count(session)).isEqualTo("2");
    }

    @Test
    @Statement(id = "003-05", says = "A session has a lifecycle (starting, active, paused, ended)")
    void hasASessionInEachStateOfTheLifecycle() {
        assertThat(starting.path("status").asString()).isEqualTo("starting");
        assertThat(active.status()).isEqualTo("active");
        assertThat(paused.status()).isEqualTo("paused");
        assertThat(ended.status()).isEqualTo("ended");
    }

    @Test
    @Statement(id = "003-40", says = "[*] --> starting: POST /api/sessions")
    void listsASessionAsStarting() {
        assertThat(starting.path("status").asString()).isEqualTo("starting");
    }

    @Test
    @Statement(id = "003-41", says = "starting --> active: sandbox ready")
    void answersTheCreateWithAnActiveSession() {
        assertThat(created.expect(201).at("/session/status").asString()).isEqualTo("active");
    }

    @Test
    @Statement(id = "003-42", says = "starting --> error: sandbox failed")
    void keepsTheSessionOfAFailedCreate() {
        assertThat(failedSession().path("status").asString()).isEqualTo("error");
        assertThat(failedSession().path("error").asString()).contains("this bridge is broken");
    }

    @Test
    @Statement(id = "003-43", says = "active --> active: send messages")
    void acceptsConsecutiveMessages() {
        for (int i = 0; i < 3; i++) {
            assertThat(Frame.names(active.ask("SAY"))).endsWith("done");
        }
        assertThat(active.status()).isEqualTo("active");
    }

    @Test
    @Statement(id = "003-44", says = "active --> paused: pause")
    void acceptsNoMessageWhilePaused() {
        ash.api()
                .post(paused.path() + "/messages", Map.of("content", "SAY"))
                .refused(400, "SESSION_NOT_ACTIVE", "paused", "resume");
    }

    @Test
    @Statement(id = "003-45", says = "active --> ended: end session")
    void endsTheProcessesOfAnEndedSession() {
        assertThat(ended.processes()).isEmpty();
    }

    @Test
    @Statement(id = "003-46", says = "active --> error: sandbox crashed")
    void showsWhyASessionCrashed() {
        assertThat(ash.api().get(crashed.path()).expect(200).at("/session/error").asString())
                .isNotBlank();
    }

    @Test
    @Statement(id = "003-47", says = "paused --> active: resume")
    void acceptsMessagesAfterAResume() {
        assertThat(Frame.names(resumed.ask("SAY"))).endsWith("done").doesNotContain("error");
    }

    @Test
    @Statement(id = "003-48", says = "error --> active: resume")
    void acceptsMessagesAfterACrashAndAResume() {
        assertThat(Frame.names(recovered.ask("SAY"))).endsWith("done").doesNotContain("error");
    }

    @Test
    @Statement(
            id = "003-49",
            says = "starting: the sandbox is being spawned; a brief transient state")
    void leavesStartingAutomatically() {
        var now = ash.api().get("/api/sessions/" + starting.path("id").asString()).expect(200);

        assertThat(now.at("/session/status").asString()).isEqualTo("active");
    }

    @Test
    @Statement(
            id = "003-50",
            says = "active: the sandbox is running; the session can send and receive messages")
    void runsASandboxForAnActiveSession() {
        assertThat(active.processes()).isNotEmpty();
        assertThat(Frame.names(active.ask(prompt("SAY", "{\"ev\":\"message\",\"data\":1}"))))
                .contains("message");
    }

    @Test
    @Statement(
            id = "003-51",
            says = "paused: the sandbox may still be alive, or may have been cleaned up")
    void keepsTheSandboxOfAPausedSession() {
        assertThat(paused.processes()).isNotEmpty();
    }

    @Test
    @Statement(id = "003-52", says = "paused: workspace state is persisted")
    void keepsTheWorkspaceOfAPausedSession() {
        assertThat(paused.workspaceFile("received.jsonl")).contains("SAY before the pause");
    }

    @Test
    @Statement(
            id = "003-53",
            says = "error: Ash spawns a new sandbox and restores the previous workspace")
    void resumesACrashedSessionOnItsWorkspace() {
        assertThat(DocumentBridgeAgent.starts(recovered)).hasSize(2);
        assertThat(recovered.workspaceFile("kept.txt")).isEqualTo("kept");
    }

    @Test
    @Statement(id = "003-54", says = "ended: cannot be resumed; create a new session instead")
    void refusesToResumeAnEndedSession() {
        ended.post("resume").refused(410, "SESSION_ENDED");
    }

    @Test
    @Statement(id = "003-55", says = "ended: terminal, no messages are accepted")
    void refusesMessagesToAnEndedSession() {
        ash.api()
                .post(ended.path() + "/messages", Map.of("content", "SAY"))
                .refused(410, "SESSION_ENDED");
    }

    @Test
    @Statement(
            id = "003-56",
            says = "Fast path: the sandbox process is still alive, and resume is instant")
    void resumesAPausedSessionInstantly() {
        assertThat(warmResume).isLessThan(Duration.ofSeconds(1));
        assertThat(resumed.lifecycle())
                .anyMatch(data -> data.contains("resumed") && data.contains("warm"));
    }

    @Test
    @Statement(
            id = "003-57",
            says = "Cold path: a new sandbox is created in the same workspace directory")
    void resumesAStoppedSessionInTheSameWorkspace() throws IOException {
        assertThat(inodeOfWorkspace()).isEqualTo(inode);
        assertThat(DocumentBridgeAgent.starts(resumed)).hasSize(2);
        assertThat(resumed.lifecycle())
                .anyMatch(data -> data.contains("resumed") && data.contains("cold"));
    }

    @Test
    @Statement(id = "003-58", says = "Cold path: this takes a few seconds")
    void resumesAStoppedSessionWithinSeconds() {
        assertThat(coldResume).isLessThan(Duration.ofSeconds(20));
    }

    @Test
    @Statement(id = "003-59", says = "In both cases, the conversation history is preserved")
    void keepsTheHistoryInBothCases() {
        assertThat(resumed.messages().stream().filter(row -> row.toString().contains("COUNT")))
                .hasSize(3);
    }

    @Test
    @Statement(
            id = "003-60",
            says = "The client can continue sending messages as if nothing happened")
    void continuesTheSameSession() {
        assertThat(Frame.names(recovered.ask(prompt("SAY", "{\"ev\":\"message\",\"data\":1}"))))
                .contains("message")
                .endsWith("done");
    }

    private static TestSession crash(TestSession session) {
        assertThat(Frame.names(session.ask("DIE"))).endsWith("error", "done");
        session.awaitStatus("error");
        return session;
    }

    private static String count(TestSession session) {
        return Frame.only("message", session.ask("COUNT")).getFirst().data();
    }

    private static JsonNode failedSession() {
        return ash.api()
                .get("/api/sessions/" + failed.at("/sessionId").asString())
                .expect(200)
                .at("/session");
    }
}

package dev.ash.e2e.conformance;

import static dev.ash.e2e.conformance.BridgeSeedAgent.prompt;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.ash.e2e.Answer;
import dev.ash.e2e.AshServer;
import dev.ash.e2e.Frame;
import dev.ash.e2e.Resources;
import dev.ash.e2e.TestSession;
import java.io.IOException;
import java.nio.file.Files;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;

/** Each arrow of the state diagrams of documents 001 and 003, and each state of document 003. */
class ConceptsLifecycleTest {
    private static final String ADR_3 =
            "docs/adr/0003-error-can-resume-and-stopped-exists.md#decision";

    private static AshServer server;

    /** A session that is created while its bridge waits for a file. */
    private static JsonNode starting;

    private static Answer created;
    private static Answer failed;

    @BeforeAll
    static void start() throws Exception {
        server = AshServer.start(Resources.SEED_BRIDGE);
        BridgeSeedAgent.deploy(server, "document", "");
        BridgeSeedAgent.deploy(server, "gated", "gated");
        BridgeSeedAgent.deploy(server, "broken", "broken");
        createGated();
        failed = server.api().post("/api/sessions", Map.of("agent", "broken"));
    }

    private static void createGated() throws Exception {
        try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
            var creating =
                    CompletableFuture.supplyAsync(
                            () -> server.api().post("/api/sessions", Map.of("agent", "gated")),
                            threads);
            var listed =
                    await().atMost(Duration.ofSeconds(8))
                            .pollInterval(Duration.ofMillis(10))
                            .until(
                                    () -> server.api().get("/api/sessions?agent=gated"),
                                    answer -> answer.at("/total").asInt() == 1);
            starting = listed.at("/sessions/0");
            var workspace =
                    server.data()
                            .resolve("sandboxes")
                            .resolve(starting.path("sandboxId").asString())
                            .resolve("workspace");
            await().atMost(Duration.ofSeconds(8))
                    .pollInterval(Duration.ofMillis(10))
                    .until(() -> Files.exists(workspace.resolve("bridge.py")));
            Files.createFile(workspace.resolve("go"));
            created = creating.get(30, TimeUnit.SECONDS);
        }
    }

    @AfterAll
    static void stop() {
        server.close();
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
        var session = server.session("document");
        session.ask("SAY");
        session.ask("SAY");

        assertThat(session.status()).isEqualTo("active");
    }

    @Test
    @Statement(id = "001-98", says = "active --> paused: POST pause")
    void isPausedByPost() {
        var session = server.session("document");

        assertThat(session.post("pause").expect(200).at("/session/status").asString())
                .isEqualTo("paused");
    }

    @Test
    @Statement(
            id = "001-99",
            says = "active --> paused: runner died",
            verdict = Verdict.NOT_YET,
            instead =
                    "there are no remote runners; the sessions of a server that stopped are paused when it starts again",
            see = "docs/differences.md#coordinator-mode-and-runners")
    void namesNoRunnerThatCouldDie() {
        var session = server.session("document");

        assertThat(session.created().path("runnerId").isNull()).isTrue();
    }

    @Test
    @Statement(id = "001-100", says = "active --> ended: DELETE /api/sessions/id")
    void isEndedByDelete() {
        var session = server.session("document");

        assertThat(session.end().expect(200).at("/session/status").asString()).isEqualTo("ended");
    }

    @Test
    @Statement(id = "001-101", says = "active --> error: sandbox crashed")
    void isInErrorAfterACrash() {
        assertThat(crashed().status()).isEqualTo("error");
    }

    @Test
    @Statement(id = "001-102", says = "paused --> active: POST resume")
    void isActiveAfterPausingAndResuming() {
        var session = server.session("document");
        session.post("pause").expect(200);

        assertThat(session.post("resume").expect(200).at("/session/status").asString())
                .isEqualTo("active");
    }

    @Test
    @Statement(
            id = "001-103",
            says = "error --> [*]: error is final",
            verdict = Verdict.DIFFERS,
            instead = "a session in error can be resumed, as document 003 says",
            see = ADR_3)
    void resumesASessionInError() {
        var session = crashed();

        session.post("resume").expect(200);

        assertThat(session.status()).isEqualTo("active");
    }

    @Test
    @Statement(id = "001-104", says = "ended --> [*]: ended is final")
    void leavesEndedSessionsEnded() {
        var session = server.session("document");
        session.end().expect(200);

        session.post("resume").refused(410, "SESSION_ENDED");
        session.post("pause").refused(410, "SESSION_ENDED");
    }

    @Test
    @Statement(
            id = "001-105",
            says = "The states are starting, active, paused, ended and error",
            verdict = Verdict.DIFFERS,
            instead = "there is a sixth, stopped, for POST stop",
            see = ADR_3)
    void hasTheStateStoppedToo() {
        var session = server.session("document");

        assertThat(session.post("stop").expect(200).at("/session/status").asString())
                .isEqualTo("stopped");
    }

    @Test
    @Statement(
            id = "001-41",
            says = "persistSessionState() persists the state of a session",
            verdict = Verdict.DIFFERS,
            instead = "nothing is copied: workspace and home stay in place",
            see = "docs/differences.md#session-state")
    void keepsWorkspaceAndHomeInPlaceWhenASandboxEnds() {
        var session = server.session("document");
        session.ask("SAY");

        session.post("stop").expect(200);

        assertThat(session.sandbox().resolve("workspace/received.jsonl")).exists();
        assertThat(session.sandbox().resolve("home")).isDirectory();
    }

    @Test
    @Statement(
            id = "001-42",
            says = "restoreSessionState() restores it for session resume",
            verdict = Verdict.DIFFERS,
            instead = "the new sandbox is given the same directories",
            see = "docs/differences.md#session-state")
    void givesANewSandboxTheSameDirectories() throws IOException {
        var session = server.session("document");
        session.ask("SAY");
        var before =
                Files.readAttributes(session.sandbox().resolve("workspace/bridge.py"), "unix:ino");
        session.post("stop").expect(200);

        session.post("resume").expect(200);

        assertThat(
                        Files.readAttributes(
                                session.sandbox().resolve("workspace/bridge.py"), "unix:ino"))
                .isEqualTo(before);
        assertThat(BridgeSeedAgent.starts(session)).hasSize(2);
    }

    @Test
    @Statement(id = "003-04", says = "A session is a stateful conversation")
    void keepsTheStateOfAConversationBetweenMessages() {
        var session = server.session("document");

        assertThat(count(session)).isEqualTo("1");
        assertThat(count(session)).isEqualTo("2");
    }

    @Test
    @Statement(id = "003-05", says = "A session has a lifecycle (starting, active, paused, ended)")
    void goesThroughTheLifecycle() {
        var session = server.session("document");
        assertThat(session.status()).isEqualTo("active");
        session.post("pause").expect(200);
        assertThat(session.status()).isEqualTo("paused");
        session.end().expect(200);
        assertThat(session.status()).isEqualTo("ended");
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
    void acceptsOneMessageAfterTheOther() {
        var session = server.session("document");
        for (int i = 0; i < 3; i++) {
            assertThat(Frame.names(session.ask("SAY"))).endsWith("done");
        }
        assertThat(session.status()).isEqualTo("active");
    }

    @Test
    @Statement(id = "003-44", says = "active --> paused: pause")
    void pausesAnActiveSession() {
        var session = server.session("document");
        session.post("pause").expect(200);

        assertThat(session.status()).isEqualTo("paused");
    }

    @Test
    @Statement(id = "003-45", says = "active --> ended: end session")
    void endsAnActiveSession() {
        var session = server.session("document");
        session.end().expect(200);

        assertThat(session.status()).isEqualTo("ended");
    }

    @Test
    @Statement(id = "003-46", says = "active --> error: sandbox crashed")
    void showsWhyASessionCrashed() {
        var session = crashed();

        assertThat(server.api().get(session.path()).expect(200).at("/session/error").asString())
                .isNotBlank();
    }

    @Test
    @Statement(id = "003-47", says = "paused --> active: resume")
    void resumesAPausedSession() {
        var session = server.session("document");
        session.post("pause").expect(200);
        session.post("resume").expect(200);

        assertThat(session.status()).isEqualTo("active");
    }

    @Test
    @Statement(id = "003-48", says = "error --> active: resume")
    void resumesACrashedSession() {
        var session = crashed();
        session.post("resume").expect(200);

        assertThat(session.status()).isEqualTo("active");
        assertThat(Frame.names(session.ask("SAY"))).endsWith("done").doesNotContain("error");
    }

    @Test
    @Statement(
            id = "003-49",
            says = "starting: the sandbox is being spawned; a brief transient state")
    void leavesStartingWithoutBeingAsked() {
        var now = server.api().get("/api/sessions/" + starting.path("id").asString()).expect(200);

        assertThat(now.at("/session/status").asString()).isEqualTo("active");
    }

    @Test
    @Statement(
            id = "003-50",
            says = "active: the sandbox is running; the session can send and receive messages")
    void runsASandboxForAnActiveSession() {
        var session = server.session("document");

        assertThat(session.processes()).isNotEmpty();
        assertThat(Frame.names(session.ask(prompt("SAY", "{\"ev\":\"message\",\"data\":1}"))))
                .contains("message");
    }

    @Test
    @Statement(
            id = "003-51",
            says = "paused: the sandbox may still be alive, or may have been cleaned up")
    void keepsTheSandboxOfAPausedSession() {
        var session = server.session("document");
        session.post("pause").expect(200);

        assertThat(session.processes()).isNotEmpty();
    }

    @Test
    @Statement(id = "003-52", says = "paused: workspace state is persisted")
    void keepsTheWorkspaceOfAPausedSession() {
        var session = server.session("document");
        session.ask("SAY");
        session.post("pause").expect(200);

        assertThat(session.workspaceFile("received.jsonl")).contains("query");
    }

    @Test
    @Statement(
            id = "003-53",
            says = "error: Ash spawns a new sandbox and restores the previous workspace")
    void resumesACrashedSessionOnItsWorkspace() throws IOException {
        var session = crashed();
        Files.writeString(session.sandbox().resolve("workspace/kept.txt"), "kept");

        session.post("resume").expect(200);
        session.ask("SAY");

        assertThat(BridgeSeedAgent.starts(session)).hasSize(2);
        assertThat(session.workspaceFile("kept.txt")).isEqualTo("kept");
    }

    @Test
    @Statement(id = "003-54", says = "ended: cannot be resumed; create a new session instead")
    void refusesToResumeAnEndedSession() {
        var session = server.session("document");
        session.end().expect(200);

        session.post("resume").refused(410, "SESSION_ENDED");
        assertThat(server.session("document").status()).isEqualTo("active");
    }

    @Test
    @Statement(id = "003-55", says = "ended: no messages are accepted any more")
    void refusesMessagesToAnEndedSession() {
        var session = server.session("document");
        session.end().expect(200);

        server.api()
                .post(session.path() + "/messages", Map.of("content", "SAY"))
                .refused(410, "SESSION_ENDED");
    }

    @Test
    @Statement(
            id = "003-56",
            says = "Fast path: the sandbox process is still alive, and resume is instant")
    void resumesOnTheSameProcess() {
        var session = server.session("document");
        session.ask("COUNT");
        var process = BridgeSeedAgent.starts(session).getFirst().path("pid");
        session.post("pause").expect(200);
        var start = System.nanoTime();

        session.post("resume").expect(200);

        assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(Duration.ofSeconds(1));
        assertThat(count(session)).isEqualTo("2");
        assertThat(BridgeSeedAgent.starts(session))
                .extracting(s -> s.path("pid"))
                .containsExactly(process);
    }

    @Test
    @Statement(
            id = "003-57",
            says = "Cold path: a new sandbox is created in the same workspace directory")
    void resumesInTheSameWorkspace() {
        var session = server.session("document");
        session.ask("SAY before");
        session.post("stop").expect(200);
        assertThat(session.processes()).isEmpty();

        session.post("resume").expect(200);
        session.ask("SAY after");

        assertThat(BridgeSeedAgent.received(session))
                .anyMatch(line -> line.contains("SAY before"))
                .anyMatch(line -> line.contains("SAY after"));
        assertThat(BridgeSeedAgent.starts(session)).hasSize(2);
    }

    @Test
    @Statement(id = "003-58", says = "Cold path: this takes a few seconds")
    void resumesColdWithinSeconds() {
        var session = server.session("document");
        session.ask("SAY");
        session.post("stop").expect(200);
        var start = System.nanoTime();

        session.post("resume").expect(200);
        session.ask("SAY");

        assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(Duration.ofSeconds(8));
    }

    @Test
    @Statement(id = "003-59", says = "In both cases, the conversation history is preserved")
    void keepsTheHistoryInBothCases() {
        var session = server.session("document");
        session.ask("SAY first");
        session.post("pause").expect(200);
        session.post("resume").expect(200);
        session.ask("SAY second");
        session.post("stop").expect(200);
        session.post("resume").expect(200);

        assertThat(session.messages().toString()).contains("SAY first", "SAY second");
    }

    @Test
    @Statement(
            id = "003-60",
            says = "The client can continue sending messages as if nothing happened")
    void acceptsMessagesAfterAColdResume() {
        var session = crashed();
        session.post("resume").expect(200);

        assertThat(Frame.names(session.ask(prompt("SAY", "{\"ev\":\"message\",\"data\":1}"))))
                .contains("message")
                .endsWith("done");
    }

    private static TestSession crashed() {
        var session = server.session("document");
        assertThat(Frame.names(session.ask("DIE"))).endsWith("error", "done");
        session.awaitStatus("error");
        return session;
    }

    private static String count(TestSession session) {
        return Frame.only("message", session.ask("COUNT")).getFirst().data();
    }

    private static JsonNode failedSession() {
        return server.api()
                .get("/api/sessions/" + failed.at("/sessionId").asString())
                .expect(200)
                .at("/session");
    }
}

package dev.ash.cli.session;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ash.cli.Ash;
import dev.ash.cli.Ash.Result;
import dev.ash.cli.command.Connection;
import dev.ash.cli.command.Host;
import dev.ash.protocol.rest.SessionApi;
import dev.ash.sdk.FakeServer;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.awaitility.Awaitility;
import org.jline.terminal.impl.DumbTerminal;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ChatCommandTest {
    private static final String[] ANSWER = {
        "event: session_start\ndata: {\"sessionId\":\"s1\"}",
        ": heartbeat",
        "event: text_delta\ndata: {\"delta\":\"Hé\"}",
        "event: text_delta\ndata: {\"delta\":\"llo\"}",
        "event: message\ndata: {\"type\":\"assistant\",\"message\":{\"content\":[{\"type\":\"text\",\"text\":\"Héllo\"}]}}\nid: 3",
        "event: tool_use\ndata: {\"id\":\"t\",\"name\":\"Bash\",\"input\":{\"command\":\"ls -la\"}}",
        "event: message\ndata: {\"type\":\"assistant\",\"message\":{\"content\":[{\"type\":\"tool_use\",\"id\":\"t\"}]}}\nid: 4",
        "event: tool_result\ndata: {\"tool_use_id\":\"t\",\"content\":\"no such file\",\"is_error\":true}",
        "event: message\ndata: {\"type\":\"assistant\",\"message\":{\"content\":\"Bye\"}}\nid: 5",
        "event: turn_complete\ndata: {\"numTurns\":1,\"result\":\"Bye\"}",
        "event: done\ndata: {\"sessionId\":\"s1\"}\nid: 6"
    };

    @TempDir Path root;
    private FakeServer server;

    @BeforeEach
    void start() throws IOException {
        var session = "{\"session\":{\"id\":\"s1\",\"agentName\":\"hello\",\"status\":\"active\"}}";
        server = new FakeServer();
        server.on("GET /health", "{\"status\":\"ok\"}");
        server.on("POST /api/agents", 201, "{\"agent\":{\"name\":\"hello\",\"version\":1}}");
        server.on("POST /api/sessions", 201, session);
        server.on("GET /api/sessions/s1", session.replace("active", "paused"));
        server.on("POST /api/sessions/s1/resume", session);
        server.on("DELETE /api/sessions/s1", session);
        server.streams("POST /api/sessions/s1/messages", ANSWER);
    }

    @AfterEach
    void stop() throws IOException {
        server.close();
    }

    private Result run(String... args) {
        return new Ash(root).server(server).run(args);
    }

    @Test
    void deploysDirectorySendsPromptAndEndsSession() throws IOException {
        Files.createDirectories(root.resolve("hello"));
        Files.writeString(root.resolve("hello/CLAUDE.md"), "x");

        var result = run("chat", "hello", "say", "hi");

        assertThat(result)
                .isEqualTo(
                        new Result(
                                0,
                                "Héllo\nBye\n",
                                "Deployed hello, version 1\n· Bash  ls -la\n  failed: no such file\n"));
        assertThat(server.lines())
                .extracting(request -> request.replaceFirst(" \\{.*files.*", " …"))
                .containsExactly(
                        "GET /health",
                        "POST /api/agents …",
                        "POST /api/sessions {\"agent\":\"hello\"}",
                        "POST /api/sessions/s1/messages {\"content\":\"say hi\",\"includePartialMessages\":true}",
                        "DELETE /api/sessions/s1");
    }

    @Test
    void keepsSessionOnRequestAndPrintsContinueCommand() {
        var result = run("chat", "hello", "hi", "--keep");

        assertThat(result.err()).endsWith("Continue with: ash chat -s s1\n");
        assertThat(server.lines()).noneMatch(request -> request.startsWith("DELETE"));
    }

    @Test
    void sendsAllowedHostsAndCredential() {
        run("chat", "hello", "hi", "--allow", "a.example", "--credential", "c1", "--no-partial");

        assertThat(server.lines())
                .contains(
                        "POST /api/sessions {\"agent\":\"hello\",\"credentialId\":\"c1\",\"network\":{\"allow\":[\"a.example\"]}}",
                        "POST /api/sessions/s1/messages {\"content\":\"hi\",\"includePartialMessages\":false}");
        assertThat(run("chat", "-s", "s1", "hi", "--allow", "a.example").exitCode()).isEqualTo(2);
    }

    @Test
    void continuesSessionByIdPrefix() {
        var id = "abcd1234-0000-4000-8000-000000000001";
        server.on(
                "GET /api/sessions", "{\"sessions\":[{\"id\":\"%s\"}],\"total\":1}".formatted(id));
        server.on(
                "GET /api/sessions/" + id,
                "{\"session\":{\"id\":\"%s\",\"status\":\"active\"}}".formatted(id));
        server.streams("POST /api/sessions/" + id + "/messages", ANSWER);

        var result = run("chat", "-s", "abcd", "hi");

        assertThat(result.exitCode()).isZero();
        assertThat(result.err()).endsWith("Continue with: ash chat -s " + id + "\n");
    }

    @Test
    void resumesAndContinuesSession() {
        var result = run("chat", "-s", "s1", "hi", "there");

        assertThat(result.exitCode()).isZero();
        assertThat(result.err()).contains("The session is paused; resuming it.");
        assertThat(server.lines())
                .contains("POST /api/sessions/s1/resume")
                .anyMatch(request -> request.contains("\"hi there\""))
                .noneMatch(request -> request.startsWith("DELETE"));
        run("chat", "-s", "s1", "hi", "--end");
        assertThat(server.lines().getLast()).isEqualTo("DELETE /api/sessions/s1");
    }

    @Test
    void createsAskingSessionAndSurvivesServerRestart() throws Exception {
        assertThat(run("chat", "hello", "hi", "--mode", "ask").exitCode()).isZero();
        assertThat(server.lines())
                .contains("POST /api/sessions {\"agent\":\"hello\",\"permissionMode\":\"ask\"}");

        var err = new ByteArrayOutputStream();
        var out = new ByteArrayOutputStream();
        var host =
                new Ash(root)
                        .server(server)
                        .with("ASH_RECONNECT_MS", "20000")
                        .host(new PrintStream(out), new PrintStream(err));
        var client = Connection.find(host).client();
        client.health(); // reached once, so that the client retries
        server.close();
        var turn =
                CompletableFuture.supplyAsync(
                        () ->
                                new Turn(host, client, "s1", false)
                                        .run(SessionApi.SendMessage.text("still there?", true)));
        Awaitility.await()
                .atMost(Duration.ofMinutes(1))
                .until(() -> err.toString().contains("waiting for the server"));
        try (var again =
                new FakeServer(
                        server.port(), (_, response) -> FakeServer.stream(response, ANSWER))) {
            assertThat(turn.get(20, TimeUnit.SECONDS)).isEqualTo(Turn.Outcome.DONE);
            assertThat(again.lines())
                    .singleElement()
                    .asString()
                    .startsWith("POST /api/sessions/s1/messages ");
        }
        assertThat(out.toString(StandardCharsets.UTF_8)).isEqualTo("Héllo\nBye\n");
    }

    @Test
    void readsPromptFromStandardInput() {
        new Ash(root).server(server).input("one\ntwo\n").run("chat", "hello");

        assertThat(server.lines()).anyMatch(request -> request.contains("\"one\\ntwo\""));
        assertThat(run("chat", "hello").exitCode()).isEqualTo(2);
    }

    @Test
    void printsFramesAsJsonLines() {
        var result = run("chat", "hello", "hi", "--json");

        assertThat(result.err()).isEmpty();
        assertThat(result.out().lines())
                .hasSize(10)
                .first()
                .isEqualTo("{\"event\":\"session_start\",\"data\":{\"sessionId\":\"s1\"}}");
        assertThat(result.out())
                .endsWith("{\"event\":\"done\",\"data\":{\"sessionId\":\"s1\"},\"id\":6}\n");
    }

    @Test
    void failsIfTurnFails() {
        server.streams(
                "POST /api/sessions/s1/messages",
                "event: error\ndata: {\"error\":\"the engine died\"}\nid: 1",
                "event: done\ndata: {\"sessionId\":\"s1\"}\nid: 2");

        assertThat(run("session", "send", "s1", "hi"))
                .isEqualTo(new Result(7, "", "ash: the engine died\n"));
    }

    @Test
    void failsIfEngineReportsErrorResult() {
        server.streams(
                "POST /api/sessions/s1/messages",
                "event: turn_complete\ndata: {\"numTurns\":1,\"result\":\"Invalid key\"}",
                "event: message\ndata: {\"type\":\"result\",\"is_error\":true,\"result\":\"Invalid key\"}\nid: 1",
                "event: done\ndata: {\"sessionId\":\"s1\"}\nid: 2");

        assertThat(run("session", "send", "s1", "hi"))
                .isEqualTo(new Result(7, "Invalid key\n", ""));
    }

    @Test
    void failsIfStreamEndsBeforeTurn() {
        server.streams(
                "POST /api/sessions/s1/messages", "event: text_delta\ndata: {\"delta\":\"x\"}");

        var result = run("session", "send", "s1", "-");

        assertThat(result.exitCode()).isEqualTo(2);
        result = run("session", "send", "s1", "hi");
        assertThat(result.exitCode()).isEqualTo(3);
        assertThat(result.err()).contains("ash session messages s1");
    }

    @Test
    void supportsServersWithThreeEventTypes() {
        server.streams(
                "POST /api/sessions/s1/messages",
                "event: message\ndata: {\"type\":\"assistant\",\"message\":{\"content\":\"Hello!\"}}",
                "event: message\ndata: {\"type\":\"assistant\",\"message\":{\"content\":\"How can I help?\"}}",
                "event: done\ndata: {\"sessionId\":\"s1\"}");

        assertThat(run("session", "send", "s1", "hi"))
                .isEqualTo(new Result(0, "Hello!\nHow can I help?\n", ""));
    }

    @Test
    void sanitizesEscapeSequencesOnTerminalsOnly() {
        server.streams(
                "POST /api/sessions/s1/messages",
                "event: text_delta\ndata: {\"delta\":\"a\\u001b]0;x\\u0007b\"}",
                "event: done\ndata: {\"sessionId\":\"s1\"}");
        var terminals = new Host.Terminals(true, true, false);

        var shown =
                new Ash(root).server(server).terminals(terminals).run("session", "send", "s1", "x");

        assertThat(shown.out()).isEqualTo("a\uFFFD]0;x\uFFFDb\n");
        assertThat(run("session", "send", "s1", "x").out()).isEqualTo("a\u001b]0;x\u0007b\n");
    }

    @Test
    void chatsUntilEndOfInput() throws IOException {
        Files.createDirectories(root.resolve("home/.ash"));
        var out = new ByteArrayOutputStream();
        var host =
                new Ash(root)
                        .server(server)
                        .host(new PrintStream(out), new PrintStream(new ByteArrayOutputStream()));
        var typed = new ByteArrayInputStream("first!\n\n  \nsecond\n".getBytes());
        var screen = new ByteArrayOutputStream();

        try (var terminal = new DumbTerminal(typed, screen)) {
            var client = Connection.find(host).client();
            assertThat(new Conversation(host, client, "s1").run(terminal)).isZero();
        }

        assertThat(server.lines())
                .hasSize(2)
                .anyMatch(request -> request.contains("\"first!\""))
                .anyMatch(request -> request.contains("\"second\""));
        assertThat(out.toString(StandardCharsets.UTF_8)).isEqualTo("Héllo\nBye\nHéllo\nBye\n");
        assertThat(root.resolve("home/.ash/chat_history")).content().contains("first!", "second");
    }
}

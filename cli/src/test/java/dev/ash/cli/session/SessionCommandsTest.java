package dev.ash.cli.session;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ash.cli.Ash;
import dev.ash.cli.Ash.Result;
import dev.ash.sdk.FakeServer;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SessionCommandsTest {
    private static final String SESSION =
            "{\"session\":{\"id\":\"s1\",\"tenantId\":\"default\",\"agentName\":\"hello\",\"sandboxId\":\"x\",\"status\":\"%s\",\"createdAt\":\"t1\",\"lastActiveAt\":\"t2\",\"agentVersion\":2,\"permissionMode\":\"ask\",\"engine\":\"demo\",\"isolation\":{\"kind\":\"none\",\"network\":\"host\",\"missing\":\"no bubblewrap\"}}}";

    @TempDir Path root;
    private FakeServer server;

    @BeforeEach
    void start() throws IOException {
        server = new FakeServer();
    }

    @AfterEach
    void stop() throws IOException {
        server.close();
    }

    private Result run(String... args) {
        return new Ash(root).server(server).run(args);
    }

    private static String session(String status) {
        return SESSION.formatted(status);
    }

    @Test
    void createsASession() {
        server.on("POST /api/sessions", 201, session("active"));

        var result = run("session", "create", "hello", "-e", "A=b=c", "--engine", "demo");

        assertThat(result.exitCode()).isZero();
        assertThat(result.out()).startsWith("s1\n");
        assertThat(server.lines())
                .containsExactly(
                        "POST /api/sessions {\"agent\":\"hello\",\"extraEnv\":{\"A\":\"b=c\"},\"engine\":\"demo\"}");
        assertThat(run("session", "create", "hello", "--json").out())
                .startsWith("{\"session\":{\"id\":\"s1\"");
        assertThat(run("session", "create", "hello", "-e", "A").exitCode()).isEqualTo(2);
    }

    @Test
    void listsSessionsWithFilterAndTotal() {
        server.on(
                "GET /api/sessions",
                "{\"sessions\":[{\"id\":\"s1\",\"agentName\":\"hello\",\"status\":\"active\",\"lastActiveAt\":\"t\"}],\"total\":7}");

        var result =
                run("session", "list", "--agent", "hello", "--status", "active", "--limit", "1");

        assertThat(result.out())
                .isEqualTo("ID  AGENT  STATUS  LAST ACTIVE\ns1  hello  active  t\n1 of 7\n");
        assertThat(server.lines())
                .containsExactly("GET /api/sessions?agent=hello&status=active&limit=1");
        assertThat(run("session", "list", "--json").out()).endsWith("\"total\":7}\n");
    }

    @Test
    void showsASessionAndItsIsolation() {
        server.on("GET /api/sessions/s1", session("active"));

        assertThat(run("session", "show", "s1").out())
                .contains("hello (version 2)")
                .contains("none (no bubblewrap)");
        assertThat(run("session", "show", "s1", "--json").out()).startsWith("{\"session\":{");
    }

    @Test
    void movesASessionThroughItsStates() {
        server.on("POST /api/sessions/s1/pause", session("paused"));
        server.on("POST /api/sessions/s1/stop", session("stopped"));
        server.on("POST /api/sessions/s1/resume", session("active"));
        server.on("DELETE /api/sessions/s1", session("ended"));

        assertThat(run("session", "pause", "s1").out()).isEqualTo("Session s1 is paused\n");
        assertThat(run("session", "stop", "s1").out()).isEqualTo("Session s1 is stopped\n");
        assertThat(run("session", "resume", "s1").out()).isEqualTo("Session s1 is active\n");
        assertThat(run("session", "end", "s1").out()).isEqualTo("Session s1 is ended\n");
        assertThat(run("session", "end", "s1", "--json").out()).contains("\"status\":\"ended\"");
    }

    @Test
    void interruptsATurn() {
        server.on("POST /api/sessions/s1/interrupt", "{\"interrupted\":true}");

        assertThat(run("session", "interrupt", "s1").out()).isEqualTo("Interrupted.\n");
        assertThat(run("session", "interrupt", "s1", "--json").out())
                .isEqualTo("{\"interrupted\":true}\n");
    }

    @Test
    void runsACommandAndTakesItsExitCode() {
        server.on(
                "POST /api/sessions/s1/exec",
                "{\"exitCode\":42,\"stdout\":\"out\\n\",\"stderr\":\"err\\n\"}");

        var result = run("session", "exec", "--timeout", "500", "s1", "ls", "-la", "--json");

        assertThat(result).isEqualTo(new Result(42, "out\n", "err\n"));
        assertThat(server.lines())
                .containsExactly(
                        "POST /api/sessions/s1/exec {\"command\":\"ls -la --json\",\"timeout\":500}");
        assertThat(run("session", "exec", "--json", "s1", "false").out())
                .isEqualTo("{\"exitCode\":42,\"stdout\":\"out\\n\",\"stderr\":\"err\\n\"}\n");
    }

    @Test
    void listsPrintsSavesWritesAndDeletesFiles() throws IOException {
        server.on(
                "GET /api/sessions/s1/files",
                "{\"files\":[{\"path\":\"a/b.txt\",\"size\":3,\"modifiedAt\":\"t\"}],\"source\":\"sandbox\"}");
        server.on(
                "GET /api/sessions/s1/files/a/b.txt",
                (_, out) -> FakeServer.write(out, "HTTP/1.1 200 OK\r\n\r\nübe"));
        server.on("POST /api/sessions/s1/files", "{\"files\":[{\"path\":\"n\",\"written\":true}]}");
        server.on("DELETE /api/sessions/s1/files/n", "{\"path\":\"n\",\"deleted\":true}");
        Files.writeString(root.resolve("local"), "hi");

        assertThat(run("session", "files", "s1").out())
                .isEqualTo("SIZE  MODIFIED  PATH\n3     t         a/b.txt\n");
        assertThat(run("session", "files", "s1", "a/b.txt").out()).isEqualTo("übe");
        assertThat(run("session", "files", "s1", "a/b.txt", "-o", "saved").exitCode()).isZero();
        assertThat(root.resolve("saved")).hasContent("übe");
        assertThat(run("session", "files", "s1", "n", "--put", "local").out())
                .isEqualTo("Wrote n\n");
        assertThat(server.lines().getLast())
                .isEqualTo(
                        "POST /api/sessions/s1/files {\"files\":[{\"path\":\"n\",\"content\":\"aGk=\"}]}");
        assertThat(run("session", "files", "s1", "n", "--delete").out()).isEqualTo("Deleted n\n");
        assertThat(run("session", "files", "s1", "n", "--put", "nowhere").err())
                .contains("does not exist");
        assertThat(run("session", "files", "s1", "--delete").exitCode()).isEqualTo(2);
        assertThat(run("session", "files", "s1", "n", "--delete", "-o", "x").exitCode())
                .isEqualTo(2);
    }

    @Test
    void saysWhyAFileWasNotWritten() throws IOException {
        server.on(
                "POST /api/sessions/s1/files",
                "{\"files\":[{\"path\":\"n\",\"written\":false,\"error\":\"too large\"}]}");
        Files.writeString(root.resolve("local"), "hi");

        var result = run("session", "files", "s1", "n", "--put", "local");

        assertThat(result).isEqualTo(new Result(1, "", "ash: n was not written: too large\n"));
    }

    @Test
    void savesAndUploadsAWorkspace() throws IOException {
        server.on("GET /api/sessions/s1/workspace", "bytes");
        server.on("POST /api/sessions/s1/workspace", "{\"message\":\"Unpacked\"}");

        assertThat(run("session", "workspace", "s1").out()).isEqualTo("Saved s1.tar.gz\n");
        assertThat(root.resolve("s1.tar.gz")).hasContent("bytes");
        assertThat(run("session", "workspace", "s1", "--upload", "s1.tar.gz").out())
                .isEqualTo("Unpacked\n");
        assertThat(server.lines().getLast()).endsWith("{\"bundle\":\"Ynl0ZXM=\"}");
    }

    @Test
    void showsWhatWasSaid() {
        server.on(
                "GET /api/sessions/s1/messages",
                "{\"messages\":[{\"role\":\"user\",\"content\":\"{\\\"type\\\":\\\"user\\\",\\\"content\\\":\\\"hi\\\"}\",\"sequence\":1},{\"role\":\"assistant\",\"content\":\"{\\\"type\\\":\\\"assistant\\\",\\\"message\\\":{\\\"content\\\":\\\"ho\\\"}}\",\"sequence\":2},{\"role\":\"assistant\",\"content\":\"{\\\"type\\\":\\\"result\\\"}\",\"sequence\":3}]}");

        assertThat(run("session", "messages", "s1", "--after", "0").out())
                .isEqualTo("1 user: hi\n2 assistant: ho\n");
        assertThat(run("session", "messages", "s1", "--json").out()).startsWith("{\"messages\":[{");
    }

    @Test
    void showsEventsAndLogs() {
        server.on(
                "GET /api/sessions/s1/events",
                "{\"events\":[{\"type\":\"lifecycle\",\"data\":\"{\\\"action\\\":\\\"created\\\"}\",\"sequence\":1,\"createdAt\":\"t\"}]}");
        server.on(
                "GET /api/sessions/s1/logs",
                "{\"logs\":[{\"index\":0,\"level\":\"stderr\",\"text\":\"a\\u001b[31mb\",\"ts\":\"t\"}],\"source\":\"sandbox\"}");

        assertThat(run("session", "events", "s1", "--type", "lifecycle").out())
                .contains("1  t     lifecycle  {\"action\":\"created\"}");
        assertThat(run("session", "events", "s1", "--json").out()).startsWith("{\"events\":");
        assertThat(run("session", "logs", "s1").out()).isEqualTo("t stderr a\uFFFD[31mb\n");
        assertThat(run("session", "logs", "s1", "--json").out()).startsWith("{\"logs\":");
    }

    @Test
    void watchesTheStreamOfASession() {
        server.streams(
                "GET /api/sessions/s1/stream",
                "event: message\ndata: {\"type\":\"assistant\",\"message\":{\"content\":\"ho\"}}\nid: 8",
                "event: done\ndata: {\"sessionId\":\"s1\"}\nid: 9");

        var result = run("session", "watch", "s1", "--after", "7");

        assertThat(result.out()).isEqualTo("ho\n");
        assertThat(result.exitCode()).as("the server kept ending the stream").isEqualTo(3);
        assertThat(server.lines())
                .startsWith(
                        "GET /api/sessions/s1/stream?after=7",
                        "GET /api/sessions/s1/stream?after=9");
    }

    @Test
    void forksASession() {
        server.on("POST /api/sessions/s1/fork", 201, session("active").replace("s1", "s2"));

        assertThat(run("session", "fork", "s1").out())
                .isEqualTo("s2\nTalk to it: ash chat -s s2\n");
        assertThat(run("session", "fork", "s1", "--turn", "t3", "--json").out())
                .startsWith("{\"session\":{\"id\":\"s2\"");
        assertThat(server.lines())
                .containsExactly(
                        "POST /api/sessions/s1/fork {}",
                        "POST /api/sessions/s1/fork {\"turnId\":\"t3\"}");
    }

    @Test
    void queuesAPromptWhereItIsAskedTo() {
        server.streams(
                "POST /api/sessions/s1/messages",
                "event: done\ndata: {\"sessionId\":\"s1\"}\nid: 1");

        assertThat(run("session", "send", "s1", "hi", "--queue").exitCode()).isZero();
        assertThat(server.lines())
                .containsExactly(
                        "POST /api/sessions/s1/messages {\"content\":\"hi\",\"includePartialMessages\":true,\"whenBusy\":\"queue\"}");
    }

    @Test
    void opensASessionThatAsks() {
        server.on("POST /api/sessions", 201, session("active"));

        run("session", "create", "hello", "--mode", "ask");

        assertThat(server.lines())
                .containsExactly(
                        "POST /api/sessions {\"agent\":\"hello\",\"permissionMode\":\"ask\"}");
    }

    @Test
    void opensASessionInAFolder() {
        server.on("POST /api/sessions", 201, session("active"));

        run("session", "create", "hello", "--directory", "/home/me/x/../app/");

        assertThat(server.lines())
                .containsExactly(
                        "POST /api/sessions {\"agent\":\"hello\",\"workingDirectory\":\"/home/me/app\"}");
    }
}

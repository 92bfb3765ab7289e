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
    void createsSession() {
        server.on("POST /api/sessions", 201, session("active"));

        var result = run("session", "create", "hello", "-e", "A=b=c", "--engine", "demo");

        assertThat(result)
                .isEqualTo(new Result(0, "s1\n", "Send a prompt: ash session send s1 \"hello\"\n"));
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
                .isEqualTo("ID  AGENT  STATUS  LAST ACTIVE\ns1  hello  active  t\n");
        assertThat(result.err()).isEqualTo("1 of 7\n");
        assertThat(server.lines())
                .containsExactly("GET /api/sessions?agent=hello&status=active&limit=1");
        assertThat(run("session", "list", "--json").out()).endsWith("\"total\":7}\n");
    }

    @Test
    void showsSessionAndIsolation() {
        server.on("GET /api/sessions/s1", session("active"));

        assertThat(run("session", "show", "s1").out())
                .contains("hello (version 2)")
                .contains("none (no bubblewrap)");
        assertThat(run("session", "show", "s1", "--json").out()).startsWith("{\"session\":{");
    }

    @Test
    void changesSessionState() {
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
    void interruptsTurn() {
        server.on("POST /api/sessions/s1/interrupt", "{\"interrupted\":true}");

        assertThat(run("session", "interrupt", "s1").out()).isEqualTo("Interrupted.\n");
        assertThat(run("session", "interrupt", "s1", "--json").out())
                .isEqualTo("{\"interrupted\":true}\n");
    }

    @Test
    void runsCommandAndExitsWithItsCode() {
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
    void reportsWhyFileWasNotWritten() throws IOException {
        server.on(
                "POST /api/sessions/s1/files",
                "{\"files\":[{\"path\":\"n\",\"written\":false,\"error\":\"too large\"}]}");
        Files.writeString(root.resolve("local"), "hi");

        var result = run("session", "files", "s1", "n", "--put", "local");

        assertThat(result).isEqualTo(new Result(1, "", "ash: n was not written: too large\n"));
    }

    @Test
    void savesAndUploadsWorkspace() throws IOException {
        server.on("GET /api/sessions/s1/workspace", "bytes");
        server.on("POST /api/sessions/s1/workspace", "{\"message\":\"Unpacked\"}");

        assertThat(run("session", "workspace", "s1").out()).isEqualTo("Saved s1.tar.gz\n");
        assertThat(root.resolve("s1.tar.gz")).hasContent("bytes");
        assertThat(run("session", "workspace", "s1", "--upload", "s1.tar.gz").out())
                .isEqualTo("Unpacked\n");
        assertThat(server.lines().getLast()).endsWith("{\"bundle\":\"Ynl0ZXM=\"}");
    }

    @Test
    void showsMessages() {
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
    void watchesSessionStream() {
        server.streams(
                "GET /api/sessions/s1/stream",
                "event: message\ndata: {\"type\":\"assistant\",\"message\":{\"content\":\"ho\"}}\nid: 8",
                "event: done\ndata: {\"sessionId\":\"s1\"}\nid: 9");

        var result = run("session", "watch", "s1", "--after", "7");

        assertThat(result.out()).isEqualTo("ho\n");
        assertThat(result.exitCode()).as("the server kept ending the stream").isEqualTo(3);
        assertThat(server.lines())
                .startsWith(
                        "GET /api/sessions/s1/stream?after=7&prompts=true",
                        "GET /api/sessions/s1/stream?after=9&prompts=true");
    }

    @Test
    void forksSession() {
        server.on("POST /api/sessions/s1/fork", 201, session("active").replace("s1", "s2"));

        assertThat(run("session", "fork", "s1"))
                .isEqualTo(new Result(0, "s2\n", "Continue with: ash chat -s s2\n"));
        assertThat(run("session", "fork", "s1", "--turn", "t3", "--json").out())
                .startsWith("{\"session\":{\"id\":\"s2\"");
        assertThat(server.lines())
                .containsExactly(
                        "POST /api/sessions/s1/fork {}",
                        "POST /api/sessions/s1/fork {\"turnId\":\"t3\"}");
    }

    @Test
    void queuesPromptOnRequest() {
        server.streams(
                "POST /api/sessions/s1/messages",
                "event: done\ndata: {\"sessionId\":\"s1\"}\nid: 1");

        assertThat(run("session", "send", "s1", "hi", "--queue").exitCode()).isZero();
        assertThat(server.lines())
                .containsExactly(
                        "POST /api/sessions/s1/messages {\"content\":\"hi\",\"includePartialMessages\":true,\"whenBusy\":\"queue\"}");
    }

    @Test
    void createsSessionInAskMode() {
        server.on("POST /api/sessions", 201, session("active"));

        run("session", "create", "hello", "--mode", "ask");

        assertThat(server.lines())
                .containsExactly(
                        "POST /api/sessions {\"agent\":\"hello\",\"permissionMode\":\"ask\"}");
    }

    @Test
    void createsSessionInDirectory() {
        server.on("POST /api/sessions", 201, session("active"));

        run("session", "create", "hello", "--directory", "/home/me/x/../app/");

        assertThat(server.lines())
                .containsExactly(
                        "POST /api/sessions {\"agent\":\"hello\",\"workingDirectory\":\"/home/me/app\"}");
    }

    @Test
    void acceptsUniqueIdPrefix() {
        var id = "1a2b3c4d-0000-4000-8000-000000000001";
        server.on(
                "GET /api/sessions", "{\"sessions\":[{\"id\":\"%s\"}],\"total\":1}".formatted(id));
        server.on("GET /api/sessions/" + id, session("active").replace("s1", id));
        server.on("DELETE /api/sessions/" + id, session("ended").replace("s1", id));

        assertThat(run("session", "show", "1a2b").out()).contains(id);
        assertThat(run("session", "end", "1a2b3c4d-").out())
                .isEqualTo("Session " + id + " is ended\n");
        assertThat(run("session", "show", id).out()).contains(id);
        assertThat(server.lines())
                .containsExactly(
                        "GET /api/sessions?idPrefix=1a2b",
                        "GET /api/sessions/" + id,
                        "GET /api/sessions?idPrefix=1a2b3c4d-",
                        "DELETE /api/sessions/" + id,
                        "GET /api/sessions/" + id);
    }

    @Test
    void rejectsUnknownAndAmbiguousPrefixes() {
        server.on(
                "GET /api/sessions",
                "{\"sessions\":[{\"id\":\"1a2b-1\"},{\"id\":\"1a2b-2\"},{\"id\":\"ffff-3\"}],\"total\":3}");

        assertThat(run("session", "stop", "1a2b"))
                .isEqualTo(
                        new Result(
                                2,
                                "",
                                "ash: 2 session ids start with \"1a2b\". Specify more characters: 1a2b-1, 1a2b-2\n"));
        assertThat(run("session", "stop", "1a2b-3").exitCode()).isEqualTo(4);
        assertThat(run("session", "stop", "1a2").exitCode()).isEqualTo(2);
        assertThat(run("session", "stop", "").exitCode()).isNotZero();
    }

    @Test
    void reportsSessionLeftBehindByFailedCreate() {
        server.on(
                "POST /api/sessions",
                502,
                "{\"error\":\"install.sh failed\",\"code\":\"SANDBOX_FAILED\",\"statusCode\":502,\"sessionId\":\"s9\"}");

        var result = run("session", "create", "hello");

        assertThat(result.out()).isEmpty();
        assertThat(result.err())
                .isEqualTo(
                        "ash: install.sh failed. The failed session is s9. Retry with: ash session resume s9, or remove it with: ash session end s9\n");
        assertThat(run("session", "create", "hello", "--json").err())
                .contains("\"sessionId\":\"s9\"", "\"code\":\"SANDBOX_FAILED\"");
    }

    @Test
    void suggestsResumeOfInactiveSession() {
        server.on(
                "POST /api/sessions/s1/messages",
                400,
                "{\"error\":\"Session is paused; resume it\",\"code\":\"SESSION_NOT_ACTIVE\",\"statusCode\":400,\"sessionId\":\"s1\"}");

        var result = run("session", "send", "s1", "hi");

        assertThat(result.exitCode()).isEqualTo(6);
        assertThat(result.err())
                .isEqualTo("ash: Session is paused; resume it. Run `ash session resume s1`.\n");
        server.on(
                "POST /api/sessions/s1/fork",
                400,
                "{\"error\":\"The session is starting\",\"code\":\"SESSION_NOT_ACTIVE\",\"statusCode\":400,\"sessionId\":\"s1\"}");
        assertThat(run("session", "fork", "s1"))
                .isEqualTo(new Result(6, "", "ash: The session is starting\n"));
    }

    @Test
    void requestsCompleteMessagesWithNoPartial() {
        server.streams(
                "POST /api/sessions/s1/messages",
                "event: done\ndata: {\"sessionId\":\"s1\"}\nid: 1");

        assertThat(run("session", "send", "s1", "hi", "--no-partial").exitCode()).isZero();
        assertThat(server.lines())
                .containsExactly(
                        "POST /api/sessions/s1/messages {\"content\":\"hi\",\"includePartialMessages\":false}");
    }

    @Test
    void watchShowsPromptsAndNotices() {
        server.streams(
                "GET /api/sessions/s1/stream",
                "event: prompt\ndata: {\"type\":\"user\",\"content\":\"hi\\nthere\"}\nid: 1",
                "event: message\ndata: {\"type\":\"assistant\",\"message\":{\"content\":\"ho\"}}\nid: 2",
                "event: done\ndata: {\"sessionId\":\"s1\"}\nid: 3",
                "event: notice\ndata: {\"kind\":\"k\",\"text\":\"Blocked\\u001b[2J.\",\"remedy\":\"Allow it.\"}");

        var result = run("session", "watch", "s1");

        assertThat(result.out()).isEqualTo("ho\n");
        assertThat(result.err()).startsWith("> hi\n> there\n! Blocked\uFFFD[2J. Allow it.\n");
    }

    @Test
    void showsEachNoticeOncePerTurn() {
        var notice =
                "event: notice\ndata: {\"kind\":\"model_key_rejected\",\"text\":\"Rejected.\",\"remedy\":\"Replace it.\"}";
        server.streams(
                "POST /api/sessions/s1/messages",
                notice,
                "event: message\ndata: {\"type\":\"system\",\"subtype\":\"api_retry\"}\nid: 1",
                notice,
                "event: message\ndata: {\"type\":\"system\",\"subtype\":\"api_retry\"}\nid: 2",
                "event: done\ndata: {\"sessionId\":\"s1\"}\nid: 3");

        assertThat(run("session", "send", "s1", "hi"))
                .isEqualTo(new Result(0, "", "! Rejected. Replace it.\n"));
        assertThat(run("session", "send", "s1", "hi", "--json").out())
                .contains("{\"event\":\"notice\",\"data\":{\"kind\":\"model_key_rejected\"");
    }
}

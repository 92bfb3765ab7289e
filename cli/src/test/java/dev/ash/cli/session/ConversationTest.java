package dev.ash.cli.session;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.ash.cli.Ash;
import dev.ash.cli.command.Connection;
import dev.ash.sdk.FakeServer;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.file.Path;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(60)
class ConversationTest {
    private static final String APPROVAL = "/api/approvals/11112222-0000-4000-8000-000000000001";
    private static final String PENDING =
            """
            {"id":"11112222-0000-4000-8000-000000000001","sessionId":"s1","kind":"tool","tool":"Bash",\
            "input":{},"status":"pending","createdAt":"t1"}""";

    @TempDir Path root;

    @Test
    void asksPendingApprovalWhenContinued() throws IOException {
        var answered = new CountDownLatch(1);
        var event =
                """
                {"events":[{"id":"e3","sessionId":"s1","tenantId":"t","type":"approval_required",
                "data":%s,"sequence":3,"createdAt":"2026-01-01T00:00:00Z","seq":3}]}
                """
                        .formatted("\"" + PENDING.replace("\"", "\\\"") + "\"");
        var screen = new ByteArrayOutputStream();
        try (var server = new FakeServer()) {
            server.on("GET " + APPROVAL, "{\"approval\":" + PENDING + "}");
            server.on("GET /api/approvals", "{\"approvals\":[" + PENDING + "]}");
            server.on("GET /api/sessions/s1/events", event);
            server.on(
                    "POST " + APPROVAL,
                    (_, out) -> {
                        FakeServer.write(
                                out, FakeServer.json(200, "{\"approval\":" + PENDING + "}"));
                        answered.countDown();
                    });
            server.on(
                    "GET /api/sessions/s1/stream",
                    (_, out) -> {
                        FakeServer.stream(
                                out, "event: approval_required\ndata: " + PENDING + "\nid: 3");
                        await(answered);
                        FakeServer.write(
                                out, "event: done\ndata: {\"sessionId\":\"s1\"}\nid: 9\n\n");
                    });
            var host =
                    new Ash(root)
                            .server(server)
                            .typing("y")
                            .host(new ByteArrayOutputStream(), screen);

            new Conversation(host, Connection.find(host).client(), "s1").joinOpenTurn();

            assertThat(screen.toString(UTF_8)).contains("The agent wants to use Bash");
            assertThat(server.lines())
                    .contains("POST " + APPROVAL + " {\"decision\":\"approved\"}")
                    .anyMatch(line -> line.contains("/stream?after=2"));
        }
    }

    private static void await(CountDownLatch latch) throws IOException {
        try {
            latch.await(20, TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            throw new IOException(e);
        }
    }
}

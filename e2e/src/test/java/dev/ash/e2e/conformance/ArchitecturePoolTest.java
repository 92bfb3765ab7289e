package dev.ash.e2e.conformance;

import static dev.ash.e2e.conformance.DocumentBridgeAgent.prompt;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.ash.e2e.AshExtension;
import dev.ash.e2e.AshServer;
import dev.ash.e2e.TestSession;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Document 001: the pool, with a capacity of two sandboxes. */
class ArchitecturePoolTest {
    @RegisterExtension
    static final AshExtension ash = AshExtension.agentsBridge().with("ASH_MAX_SANDBOXES", "2");

    @BeforeAll
    static void start() {

        DocumentBridgeAgent.deploy(ash.server(), "document", "");
    }

    @Test
    @Statement(id = "001-35", says = "SandboxPool is DB-backed: each sandbox has a row")
    void storesARowForEachSandbox() throws SQLException {
        var session = ash.session("document");
        var id = session.created().path("sandboxId").asString();

        var row = new ArchitectureDatabase(ash.data()).row("sandboxes", "id", id);

        assertThat(row).containsEntry("session_id", session.id()).containsKeys("state");
        session.end().expect(200);
    }

    @Test
    @Statement(id = "001-36", says = "SandboxPool has capacity limits")
    void refusesSandboxesBeyondTheCapacity() {
        var first = ash.session("document");
        var second = ash.session("document");
        try (var one = first.send(prompt("HOLD", "{\"ev\":\"message\",\"data\":1}"));
                var two = second.send(prompt("HOLD", "{\"ev\":\"message\",\"data\":2}"))) {
            one.next("message");
            two.next("message");

            ash.api()
                    .post("/api/sessions", Map.of("agent", "document"))
                    .refused(503, "CAPACITY_REACHED", "ASH_MAX_SANDBOXES");

            first.post("interrupt").expect(200);
            second.post("interrupt").expect(200);
            one.rest();
            two.rest();
        }
        first.end().expect(200);
        second.end().expect(200);
    }

    @Test
    @Statement(id = "001-37", says = "SandboxPool has LRU eviction")
    void evictsTheLeastRecentlyUsedSandbox() {
        var first = ash.session("document");
        var second = ash.session("document");
        second.ask("SAY");
        first.ask("SAY");

        var third = ash.session("document");

        assertThat(second.processes()).as("least recently used").isEmpty();
        assertThat(first.processes()).isNotEmpty();
        assertThat(third.processes()).isNotEmpty();
        for (var session : new TestSession[] {first, second, third}) {
            session.end().expect(200);
        }
    }

    @Test
    @Statement(id = "001-38", says = "SandboxPool has an idle sweep")
    void endsTheSandboxOfAnIdleSession() {
        try (var sleepy = AshServer.start(Map.of("ASH_IDLE_TIMEOUT_MS", "300"))) {
            sleepy.deploy("hello");
            var session = sleepy.session("hello");

            await().atMost(Duration.ofSeconds(30))
                    .pollInterval(Duration.ofMillis(50))
                    .until(() -> session.processes().isEmpty());

            assertThat(session.status()).isEqualTo("active");
        }
    }
}

package dev.ash.e2e;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.sql.DriverManager;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/**
 * Checks backpressure: a bridge that sends faster than the disk stores must wait, and the server's
 * memory use stays bounded.
 */
class FloodTest {
    private static final long MIB = 1024 * 1024;

    // 32 MiB of pending writes, one event being read, and the buffers of reader and kernel.
    private static final long MAX_BYTES = 64 * MIB;

    @Test
    void limitsBufferedEventsWhileDatabaseIsLocked() throws Exception {
        try (var ash =
                AshExtension.agentsBridge().agentWithBridge("flood", "flood_bridge.py").open()) {
            var session = ash.session("flood");
            try (var turn = session.send("FLOOD")) {
                try (var connection =
                                DriverManager.getConnection(
                                        "jdbc:sqlite:" + ash.data() + "/ash.db");
                        var statement = connection.createStatement()) {
                    statement.execute("BEGIN IMMEDIATE"); // blocks the server's writer
                    session.signal("go");
                    await().atMost(Duration.ofSeconds(30))
                            .until(() -> !session.workspaceFile("waited").isEmpty());
                    statement.execute("ROLLBACK");
                }

                assertThat(Frame.names(turn.rest())).endsWith("done");
            }
            assertThat(Long.parseLong(session.workspaceFile("waited"))).isLessThan(MAX_BYTES);
            assertThat(Frame.names(session.ask("hello"))).endsWith("done");
        }
    }
}

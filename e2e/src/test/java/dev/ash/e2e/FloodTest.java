package dev.ash.e2e;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.sql.DriverManager;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** A bridge that sends faster than the disk stores has to wait, and costs a bounded memory. */
class FloodTest {
    private static final long MIB = 1024 * 1024;

    // 32 MiB on their way to the disk, one event being read, and what reader and kernel buffer.
    private static final long MOST = 64 * MIB;

    @Test
    void theServerTakesNoMoreThanItsBoundWhileItCannotStore() throws Exception {
        try (var ash =
                AshExtension.agentsBridge().agentWithBridge("flood", "flood_bridge.py").open()) {
            var session = ash.session("flood");
            try (var turn = session.send("FLOOD")) {
                try (var connection =
                                DriverManager.getConnection(
                                        "jdbc:sqlite:" + ash.data() + "/ash.db");
                        var statement = connection.createStatement()) {
                    statement.execute("BEGIN IMMEDIATE"); // the server's writer waits
                    session.signal("go");
                    await().atMost(Duration.ofSeconds(30))
                            .until(() -> !session.workspaceFile("waited").isEmpty());
                    statement.execute("ROLLBACK");
                }

                assertThat(Frame.names(turn.rest())).endsWith("done");
            }
            assertThat(Long.parseLong(session.workspaceFile("waited"))).isLessThan(MOST);
            assertThat(Frame.names(session.ask("hello"))).endsWith("done");
        }
    }
}

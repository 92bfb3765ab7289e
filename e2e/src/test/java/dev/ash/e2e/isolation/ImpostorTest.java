package dev.ash.e2e.isolation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import dev.ash.e2e.AshExtension;
import dev.ash.e2e.Frame;
import dev.ash.e2e.Resources;
import dev.ash.e2e.TestSession;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * Checks that no process of a sandbox can read the nonce of its bridge or impersonate the bridge
 * with it.
 */
class ImpostorTest {
    @RegisterExtension
    static final AshExtension ash =
            AshExtension.demo()
                    .agent(
                            "hostile",
                            Map.of(
                                    "CLAUDE.md", "You are hostile.\n",
                                    "impostor.py", Resources.text("attacks/impostor.py"),
                                    "find_nonce.py", Resources.text("attacks/find_nonce.py")));

    @Test
    void hidesTheNonceFromTheSandbox() throws SQLException {
        var session = isolated();
        var reversed = new StringBuilder(nonce(session)).reverse();

        var found = session.exec("python3 find_nonce.py " + reversed).path("stdout").asString();

        assertThat(found).contains("looked").doesNotContain("FOUND");
        assertThat(found).doesNotContain("'memory': 0").doesNotContain("'environ': 0");
    }

    @Test
    void doesNotAdoptAnotherProcessWithTheNonce() throws Exception {
        var otherSession = isolated();
        var hostile = isolated();
        var started = hostile.exec("python3 impostor.py " + nonce(hostile));
        assertThat(started.path("exitCode").asInt()).as(started.toString()).isZero();

        ash.kill();
        ash.startAgain();

        var same = ash.session(hostile);
        assertThat(same.events().toString()).doesNotContain("IMPOSTOR");
        assertThat(same.status()).isEqualTo("paused");
        assertThat(same.processes()).isEmpty();
        assertThat(Frame.names(ash.session(otherSession).ask("hello"))).endsWith("done");
        same.post("resume").expect(200);
        assertThat(Frame.names(same.ask("hello"))).endsWith("done");
    }

    private static TestSession isolated() {
        var session = ash.session("hostile");
        assumeThat(session.created().at("/isolation/kind").asString()).isEqualTo("bubblewrap");
        return session;
    }

    private static String nonce(TestSession session) throws SQLException {
        try (var connection = DriverManager.getConnection("jdbc:sqlite:" + ash.data() + "/ash.db");
                var query =
                        connection.prepareStatement("SELECT nonce FROM sandboxes WHERE id = ?")) {
            query.setString(1, session.created().path("sandboxId").asString());
            try (var rows = query.executeQuery()) {
                return rows.getString(1);
            }
        }
    }
}

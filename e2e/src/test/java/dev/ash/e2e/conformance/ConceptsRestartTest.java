package dev.ash.e2e.conformance;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ash.e2e.AshExtension;
import dev.ash.e2e.Frame;
import dev.ash.e2e.TestSession;
import java.sql.SQLException;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Documents 001 and 003: the state that survives a restart of the server. */
class ConceptsRestartTest {
    @RegisterExtension static final AshExtension ash = AshExtension.demo().agent("kept");
    private static TestSession session;
    private static TestSession paused;
    private static TestSession ended;

    @BeforeAll
    static void restart() {

        session = ash.session("kept");
        session.ask("before the restart");
        session.exec("echo kept > note.txt");
        paused = ash.session("kept");
        paused.post("pause").expect(200);
        ended = ash.session("kept");
        ended.end().expect(200);
        ash.stop();
        ash.startAgain();
        session = ash.session(session);
        paused = ash.session(paused);
        ended = ash.session(ended);
    }

    @Test
    @Statement(id = "001-51", says = "SQLite persists agents")
    void keepsAgents() {
        var agent = ash.api().get("/api/agents/kept").expect(200);

        assertThat(agent.at("/agent/version").asInt()).isEqualTo(1);
        assertThat(ash.api().get("/api/agents/kept/files/CLAUDE.md").expect(200).text())
                .contains("You are kept.");
    }

    @Test
    @Statement(id = "001-52", says = "SQLite persists sessions")
    void keepsSessions() {
        assertThat(ended.status()).isEqualTo("ended");
        assertThat(paused.created().path("status").asString()).isEqualTo("paused");
        assertThat(session.created().path("agentName").asString()).isEqualTo("kept");
    }

    @Test
    @Statement(id = "001-53", says = "SQLite persists sandbox metadata")
    void keepsTheRowsOfSandboxes() throws SQLException {
        var id = session.created().path("sandboxId").asString();

        assertThat(new ArchitectureDatabase(ash.data()).row("sandboxes", "id", id))
                .containsEntry("session_id", session.id());
    }

    @Test
    @Statement(id = "003-06", says = "A session is persisted in the database")
    void keepsTheConversation() {
        assertThat(session.messages().toString()).contains("before the restart");
    }

    @Test
    @Statement(id = "003-73", says = "Cold path: the sandbox is gone because the server restarted")
    void resumesASessionAfterARestart() {
        assertThat(paused.processes()).isEmpty();

        paused.post("resume").expect(200);

        assertThat(paused.status()).isEqualTo("active");
        assertThat(Frame.names(paused.ask("hello"))).contains("message").endsWith("done");
    }

    @Test
    @Statement(id = "003-74", says = "After a restart the workspace is unchanged")
    void keepsTheWorkspace() {
        assertThat(Frame.names(session.ask("after the restart"))).endsWith("done");
        assertThat(session.exec("cat note.txt").path("stdout").asString()).isEqualTo("kept\n");
    }
}

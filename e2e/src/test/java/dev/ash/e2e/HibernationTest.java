package dev.ash.e2e;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * Checks that an idle session of the real CLI has no process and that clients notice no difference.
 */
@NeedsClaude
class HibernationTest {
    @RegisterExtension
    static final AshExtension ash =
            AshExtension.claude().with("ASH_IDLE_TIMEOUT_MS", "1000").agent("hello");

    @Test
    void idleSessionHasNoProcessAndNextPromptContinues() {
        var session = ash.session("hello");
        session.ask(Script.bash("echo kept > note.txt") + "\nSAY:remember 4711");
        awaitAsleep(session);
        assertThat(session.status()).isEqualTo("active");

        assertThat(Frame.said(session.ask("SAY:awake again"))).isEqualTo("awake again");

        assertThat(ash.model().awaitTurn("SAY:awake again").everything()).contains("remember 4711");
        awaitAsleep(session);
        assertThat(session.exec("cat note.txt").path("stdout").asString()).isEqualTo("kept\n");
        assertThat(session.lifecycle()).hasSize(1); // only the creation event
    }

    @Test
    void sessionWithBackgroundTaskStaysAwake() {
        var session = ash.session("hello");
        var sleeper = ash.session("hello");
        var task =
                Script.tool(
                        "Bash",
                        Map.of(
                                "command",
                                "until [ -e go ]; do sleep 0.05; done; echo ended >> tool.log",
                                "run_in_background",
                                true));
        session.ask(task + "\nSAY:it runs");
        var engine = session.enginePid();
        // Meanwhile a session that became idle later is put to sleep twice.
        awaitAsleep(sleeper);
        sleeper.ask("SAY:once");
        awaitAsleep(sleeper);

        assertThat(session.enginePid()).isEqualTo(engine);
        session.signal("go");
        session.awaitWorkspaceFile("tool.log", "ended\n");
        awaitAsleep(session);
        session.ask("SAY:after the task");
        assertThat(ash.model().awaitTurn("SAY:after the task").everything()).contains("it runs");
    }

    private static void awaitAsleep(TestSession session) {
        await().atMost(Duration.ofMinutes(1))
                .pollInterval(Duration.ofMillis(50))
                .until(() -> session.processes().isEmpty());
    }
}

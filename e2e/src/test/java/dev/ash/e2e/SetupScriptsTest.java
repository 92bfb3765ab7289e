package dev.ash.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Checks that the setup scripts of an agent run once, inside the sandbox of a new session. */
class SetupScriptsTest {
    @RegisterExtension static final AshExtension ash = AshExtension.demo();

    @Test
    void runsScriptsOnceBeforeFirstTurn() {
        ash.deploy(
                "prepared",
                Map.of(
                        "CLAUDE.md", "You are prepared.\n",
                        "install.sh", "echo \"install by $(id -u) in $PWD\" >> done.txt\n",
                        "startup.sh", "echo startup >> done.txt\n"));
        var session = ash.session("prepared");

        assertThat(scriptOutput(session)).isEqualTo("install by 1000 in /workspace\nstartup\n");
        session.post("stop").expect(200);
        session.post("resume").expect(200);
        assertThat(scriptOutput(session)).isEqualTo("install by 1000 in /workspace\nstartup\n");
    }

    private static String scriptOutput(TestSession session) {
        return session.exec("cat done.txt").path("stdout").asString();
    }

    @Test
    void failedScriptFailsSessionAndResumeRetries() {
        ash.deploy(
                "failing",
                Map.of(
                        "CLAUDE.md",
                        "You fail at first.\n",
                        "install.sh",
                        "echo try >> tries.txt\n"
                                + "[ $(wc -l < tries.txt) -ge 2 ] || { echo no compiler; exit 3; }\n"));

        var answer = ash.api().post("/api/sessions", Map.of("agent", "failing"));

        answer.refused(
                502,
                "SANDBOX_FAILED",
                "The agent's install.sh failed with exit code 3",
                "no compiler",
                "resume the session");
        var path = "/api/sessions/" + answer.at("/sessionId").asString();
        assertThat(ash.api().get(path).at("/session/status").asString()).isEqualTo("error");
        assertThat(ash.api().postNothing(path + "/resume").at("/session/status").asString())
                .isEqualTo("active");
        ash.api().delete(path).expect(200);
    }

    @Test
    void slowScriptDoesNotBlockOtherSessions() throws Exception {
        ash.deploy("quick", Map.of("CLAUDE.md", "You are quick.\n"));
        ash.deploy(
                "slow",
                Map.of(
                        "CLAUDE.md", "You are slow.\n",
                        "install.sh", "until [ -e go ]; do sleep 0.05; done\n"));
        var slow = CompletableFuture.supplyAsync(() -> ash.session("slow"));

        var other = ash.session("quick");
        assertThat(Frame.names(other.ask("hello"))).endsWith("done");
        assertThat(slow).isNotDone();

        var sessions = ash.api().get("/api/sessions?status=starting").at("/sessions");
        assertThat(sessions.size()).isEqualTo(1);
        var sandbox = sessions.get(0).path("sandboxId").asString();
        Files.createFile(ash.data().resolve("sandboxes/" + sandbox + "/workspace/go"));
        assertThat(slow.get(60, TimeUnit.SECONDS).status()).isEqualTo("active");
    }
}

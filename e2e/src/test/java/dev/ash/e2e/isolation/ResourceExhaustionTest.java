package dev.ash.e2e.isolation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import dev.ash.e2e.AshExtension;
import dev.ash.e2e.Busy;
import dev.ash.e2e.Frame;
import dev.ash.e2e.TestSession;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Tests resource exhaustion: the session or its tool fails with an error that names the limit. */
@Busy
class ResourceExhaustionTest {
    @RegisterExtension
    static final AshExtension ash = AshExtension.scriptedClaude("fake_claude.py").agent("hostile");

    private static TestSession session(String limit, int value) {
        var session = ash.session(Map.of("agent", "hostile", "limits", Map.of(limit, value)));
        assertThat(session.created().at("/limits/" + limit).asInt()).isEqualTo(value);
        return session;
    }

    /** Skips the test if the host does not enforce the limit and the session reports that. */
    private static void assumeLimited(TestSession session, String limit) {
        var enforced = session.created().at("/isolation/limits").toString();
        if (!enforced.contains(limit)) {
            assertThat(session.created().at("/isolation/missing").asString()).contains(limit);
        }
        assumeThat(enforced).contains(limit);
    }

    private static void run(TestSession session, String command) {
        ash.api().post(session.path() + "/exec", Map.of("command", command));
    }

    private static String error(TestSession session) {
        return ash.api().get(session.path()).at("/session/error").asString("");
    }

    @Test
    void failsTheSessionOfAForkBomb() {
        var session = session("pids", 120);
        assumeLimited(session, "pids");

        // Python, because a shell pauses when fork fails, which may end the bomb.
        run(session, "python3 -c 'import os\nwhile True:\n try: os.fork()\n except OSError: pass'");

        session.awaitStatus("error");
        assertThat(error(session)).contains("120 processes", "limits.pids", "ASH_SANDBOX_PIDS");
        assertThat(session.processes()).isEmpty();
        assertResumes(session);
    }

    @Test
    void killsAToolAtTheMemoryLimitAndKeepsItsSession() {
        var session = session("memoryMb", 512);
        assumeLimited(session, "memory");

        var result = session.exec("python3 -c 'b\"x\" * (4 << 30)'");

        assertThat(result.path("exitCode").asInt()).as(result.toString()).isEqualTo(137);
        assertThat(Frame.said(session.ask("still here?"))).startsWith("pid ");
    }

    @Test
    void failsTheTurnOfAnEngineAtTheMemoryLimit() {
        var session = session("memoryMb", 512);
        assumeLimited(session, "memory");

        var frames = session.ask("EAT");

        assertThat(Frame.names(frames)).endsWith("error", "done");
        assertThat(Frame.only("error", frames).getLast().data())
                .contains("memory limit of 512 MB", "limits.memoryMb", "ASH_SANDBOX_MEMORY_MB");
        assertThat(session.status()).isEqualTo("error");
        assertThat(error(session)).contains("memory limit of 512 MB");
        assertResumes(session);
    }

    @Test
    void failsASessionAtTheDiskLimit() {
        var session = session("diskMb", 64);
        assumeLimited(session, "disk");

        run(session, "for i in $(seq 40); do head -c 16M /dev/zero > /tmp/fill$i; done; sleep 60");

        session.awaitStatus("error");
        assertThat(error(session)).contains("disk limit of 64 MB", "limits.diskMb");
        assertThat(session.processes()).isEmpty();
    }

    @Test
    void limitsTheFileSizeToTheDiskLimit() {
        var session = session("diskMb", 64);
        assumeLimited(session, "fileSize");

        var write =
                "head -c 1 /dev/zero | dd of=big bs=1 seek=%d 2>&1 | tail -n 1; stat -c %%s big";
        var last = session.exec(write.formatted(67108863));
        var tooFar = session.exec(write.formatted(67108864));

        assertThat(last.path("stdout").asString().strip()).endsWith("67108864");
        assertThat(tooFar.path("stdout").asString().strip()).endsWith("67108864");
        assertThat(session.status()).isEqualTo("active");
    }

    @Test
    void limitsOpenFilesPerProcess() {
        var session = ash.session("hostile");

        var result =
                session.exec(
                        "python3 -c 'import os\nn = 0\ntry:\n while 1: os.dup(0); n += 1\nexcept OSError: print(n)'");

        assertThat(result.path("stdout").asString().strip()).matches("40[0-9][0-9]");
        assertThat(Frame.said(session.ask("still here?"))).startsWith("pid ");
    }

    private static void assertResumes(TestSession session) {
        session.post("resume").expect(200);
        assertThat(Frame.said(session.ask("back again"))).startsWith("pid ");
    }
}

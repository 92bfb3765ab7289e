package dev.ash.bridge;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ash.protocol.Limits;
import dev.ash.protocol.json.RawJson;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.UUID;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ExecTest {
    @TempDir private Path directory;
    private TestBridge bridge;
    private RawClient client;

    @BeforeEach
    void open() throws IOException {
        bridge = TestBridge.open(directory, Map.of());
        client = bridge.client();
    }

    @AfterEach
    void close() throws IOException {
        client.close();
        bridge.close();
    }

    @Test
    void runsInWorkspaceAndReturnsBothStreams() throws IOException {
        var result = exec("pwd; echo 'grüße 🌍' >&2; exit 3", 5000);

        assertThat(result.text("stdout")).isEqualTo(bridge.workspace() + "\n");
        assertThat(result.text("stderr")).isEqualTo("grüße 🌍\n");
        assertThat(exitCode(result)).isEqualTo(3);
    }

    @Test
    void hasEnvironmentOfEngine() throws IOException {
        client.send(
                "{\"cmd\":\"configure\",\"sessionId\":\"11111111-2222-4333-8444-555555555555\","
                        + "\"env\":{\"COLOR\":\"blue\",\"LANG\":\"C\"}}");

        var lines = exec("env", 5000).text("stdout").lines().toList();

        assertThat(lines)
                .contains("COLOR=blue", "LANG=C")
                .contains("ASH_SESSION_ID=11111111-2222-4333-8444-555555555555")
                .noneMatch(line -> line.startsWith("ASH_BRIDGE_NONCE"));
    }

    @Test
    void killsProcessTreeOnTimeout() throws IOException {
        var result = exec("echo before; sleep 300 & echo $! > pid; wait", 500);

        assertThat(exitCode(result)).isEqualTo(124);
        assertThat(result.text("stdout")).isEqualTo("before\n");
        assertThat(result.text("stderr")).startsWith("ash: the command was killed after 500 ms");
        var pid = Long.parseLong(Files.readString(bridge.workspace().resolve("pid")).strip());
        Awaitility.await()
                .atMost(Duration.ofMinutes(1))
                .until(() -> ProcessHandle.of(pid).isEmpty());
    }

    @Test
    void doesNotWaitForBackgroundProcesses() throws IOException {
        long before = System.nanoTime();

        var result = exec("sleep 20 & echo $! > pid; echo started", 15_000);

        assertThat((System.nanoTime() - before) / 1_000_000).isLessThan(10_000);
        assertThat(result.text("stdout")).isEqualTo("started\n");
        assertThat(exitCode(result)).isZero();
        var pid = Long.parseLong(Files.readString(bridge.workspace().resolve("pid")).strip());
        assertThat(ProcessHandle.of(pid)).isPresent();
        ProcessHandle.of(pid).ifPresent(ProcessHandle::destroyForcibly);
    }

    @Test
    void backgroundProcessCanContinueWriting() throws IOException {
        exec("(for i in 1 2 3 4 5 6 7 8; do head -c 100000 /dev/zero; done; touch end) &", 5000);

        Awaitility.await()
                .atMost(Duration.ofMinutes(1))
                .until(() -> Files.exists(bridge.workspace().resolve("end")));
    }

    @Test
    void truncatesLongOutputWithNote() throws IOException {
        int limit = Limits.MAX_EXEC_OUTPUT_BYTES;

        var result = exec("head -c " + (limit + 10) + " /dev/zero | tr '\\0' x", 20_000);

        assertThat(result.text("stdout"))
                .startsWith("xxx")
                .endsWith("x\n[ash: output truncated; " + (limit + 10) + " bytes were written]\n")
                .hasSizeLessThan(limit + 100);
    }

    @Test
    void resultFitsIntoOneLineAfterEncoding() throws IOException {
        var result = exec("head -c 5000000 /dev/zero; head -c 5000000 /dev/zero >&2", 20_000);

        assertThat(result.line().length()).isLessThan(Limits.MAX_LINE_BYTES);
        assertThat(result.text("stdout")).startsWith("\0\0").contains("[ash: output truncated;");
        assertThat(result.text("stderr")).startsWith("\0\0").contains("[ash: output truncated;");
    }

    @Test
    void replacesInvalidUtf8() throws IOException {
        assertThat(exec("printf 'a\\377b'", 5000).text("stdout")).isEqualTo("a\uFFFDb");
    }

    @Test
    void hasEmptyStdin() throws IOException {
        assertThat(exec("cat; echo end", 5000).text("stdout")).isEqualTo("end\n");
    }

    @Test
    void reportsSignalInExitCode() throws IOException {
        assertThat(exitCode(exec("kill -9 $$", 5000))).isEqualTo(137);
    }

    @Test
    void reportsWhyCommandCannotStart() throws IOException {
        Files.delete(bridge.workspace());

        var result = exec("true", 5000);

        assertThat(exitCode(result)).isEqualTo(126);
        assertThat(result.text("stderr")).contains("is not a directory");
    }

    @Test
    void runsConcurrentlyWithTurnsAndOtherCommands() throws IOException {
        client.query("demo: slow 600");
        client.nextOf("message");
        exec("mkfifo gate", 5000);
        client.send(command("slow", "cat gate", 20_000));

        assertThat(exec("echo quick; echo open > gate", 5000).text("stdout")).isEqualTo("quick\n");

        client.send("{\"cmd\":\"interrupt\"}");
        client.untilDone();
    }

    @Test
    void runsRetransmittedCommandOnce() throws IOException {
        client.send(command("a", "echo x >> count; cat count", 5000));
        client.nextOf("exec_result");
        client.send(command("a", "echo x >> count; cat count", 5000));

        assertThat(exec("cat count", 5000).text("stdout")).isEqualTo("x\n");
    }

    private RawClient.Event exec(String command, long timeout) throws IOException {
        var id = UUID.randomUUID().toString();
        client.send(command(id, command, timeout));
        return client.until(event -> event.text("id").equals(id)).getLast();
    }

    private static String command(String id, String command, long timeout) {
        return "{\"cmd\":\"exec\",\"id\":\""
                + id
                + "\",\"command\":"
                + RawJson.string(command)
                + ",\"timeout\":"
                + timeout
                + "}";
    }

    private static int exitCode(RawClient.Event result) {
        return Integer.parseInt(result.json().raw("exitCode").orElseThrow().toString());
    }
}

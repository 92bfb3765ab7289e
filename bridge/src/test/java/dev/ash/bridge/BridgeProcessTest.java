package dev.ash.bridge;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class BridgeProcessTest {
    @TempDir private Path directory;

    @Test
    void exitsWhenNoServerConnectsInTime() throws Exception {
        var environment = TestBridge.environment(directory, Map.of("ASH_BRIDGE_GRACE_MS", "300"));
        try (var bridge = BridgeProcess.start(directory, environment)) {
            assertThat(bridge.exitCode()).isZero();
            assertThat(bridge.stderr()).contains("no server for 300 ms");
        }
    }

    @Test
    void outlivesServerForGracePeriodAndKillsCommands() throws Exception {
        var environment = TestBridge.environment(directory, Map.of("ASH_BRIDGE_GRACE_MS", "1500"));
        try (var bridge = BridgeProcess.start(directory, environment)) {
            try (var client = bridge.connect()) {
                client.send(exec("echo $$ > pid; sleep 60"));
                Awaitility.await().atMost(Duration.ofMinutes(1)).until(() -> size("pid") > 0);
            }
            try (var client = bridge.connect()) {
                assertThat(client.nextOf("ready").text("nonce")).isEqualTo("nonce-1");
            }
            assertThat(bridge.exitCode()).isZero();
            assertExited("pid");
        }
    }

    /** The client shares the PID namespace of the bridge here, like the tools of an agent. */
    @Test
    void rejectsConnectionsFromSandboxAfterFirstServer() throws Exception {
        var environment = TestBridge.environment(directory, Map.of("ASH_BRIDGE_PEERS", "outside"));
        try (var bridge = BridgeProcess.start(directory, environment);
                var server = bridge.connect()) {
            server.nextOf("ready");
            try (var rejected = bridge.connect()) {
                assertThat(rejected.next().line()).as("connection closed").isEmpty();
            }

            server.send(exec("echo still here > answer"));

            Awaitility.await().atMost(Duration.ofMinutes(1)).until(() -> size("answer") > 0);
            assertThat(bridge.stderr()).contains("rejected a connection from within the sandbox");
        }
    }

    @Test
    void killsCommandsOnTermination() throws Exception {
        try (var bridge =
                        BridgeProcess.start(
                                directory, TestBridge.environment(directory, Map.of()));
                var client = bridge.connect()) {
            client.send(exec("sleep 60 & echo $! > pid; wait"));
            Awaitility.await().atMost(Duration.ofMinutes(1)).until(() -> size("pid") > 0);

            bridge.terminate();

            assertThat(bridge.exitCode()).isEqualTo(143);
            assertExited("pid");
        }
    }

    /** Commands inherit neither the variables nor the descriptor. */
    @ParameterizedTest
    @ValueSource(ints = {0, 9})
    void readsNonceFromDescriptorAndHidesItFromCommands(int descriptor) throws Exception {
        var variables = Map.of("ASH_BRIDGE_NONCE_FD", Integer.toString(descriptor));
        var environment = TestBridge.environment(directory, variables);
        try (var bridge =
                        BridgeProcess.startWithDescriptor(
                                directory, environment, descriptor, "nonce-2");
                var client = bridge.connect()) {
            assertThat(client.nextOf("ready").text("nonce")).isEqualTo("nonce-2");

            client.send(exec("ls -l /proc/self/fd > files; env > seen"));

            Awaitility.await().atMost(Duration.ofMinutes(1)).until(() -> size("seen") > 0);
            assertThat(directory.resolve("workspace/seen"))
                    .content()
                    .doesNotContain("ASH_BRIDGE_NONCE", "nonce-");
            assertThat(directory.resolve("workspace/files"))
                    .content()
                    .contains("0 -> /dev/null")
                    .doesNotContain(" 9 -> ");
        }
    }

    @Test
    void rejectsDescriptorWithoutNonce() throws Exception {
        var environment = TestBridge.environment(directory, Map.of("ASH_BRIDGE_NONCE_FD", "0"));
        try (var bridge = BridgeProcess.startWithDescriptor(directory, environment, 0, "")) {
            assertThat(bridge.exitCode()).isEqualTo(2);
            assertThat(bridge.stderr()).contains("must contain the nonce", "but has nothing");
        }
    }

    @Test
    void rejectsInvalidDescriptor() throws Exception {
        var environment = TestBridge.environment(directory, Map.of("ASH_BRIDGE_NONCE_FD", "stdin"));
        try (var bridge = BridgeProcess.start(directory, environment)) {
            assertThat(bridge.exitCode()).isEqualTo(2);
            assertThat(bridge.stderr()).contains("must be the number of a descriptor");
        }
    }

    @Test
    void requiresSocketPath() throws Exception {
        try (var bridge = BridgeProcess.start(directory, Map.of())) {
            assertThat(bridge.exitCode()).isEqualTo(2);
            assertThat(bridge.stderr())
                    .startsWith("bridge: cannot start: ASH_BRIDGE_SOCKET is not");
        }
    }

    @Test
    void rejectsTooLongSocketPath() throws Exception {
        var path = directory.resolve("x".repeat(120)).toString();
        var environment = TestBridge.environment(directory, Map.of("ASH_BRIDGE_SOCKET", path));
        try (var bridge = BridgeProcess.start(directory, environment)) {
            assertThat(bridge.exitCode()).isEqualTo(2);
            assertThat(bridge.stderr()).contains("longer than 107 bytes");
        }
    }

    @Test
    void completesTrainingRun() throws Exception {
        var environment = TestBridge.environment(directory, Map.of());
        try (var bridge = BridgeProcess.start(directory, environment, "--train")) {
            assertThat(bridge.exitCode()).as(bridge.stderr()).isZero();
        }
    }

    @Test
    void closesConnectionAfterShutdownWhenCommandsAreKilled() throws Exception {
        try (var bridge =
                        BridgeProcess.start(
                                directory, TestBridge.environment(directory, Map.of()));
                var client = bridge.connect()) {
            client.send(exec("sleep 60 & echo $! > pid; wait"));
            Awaitility.await().atMost(Duration.ofMinutes(1)).until(() -> size("pid") > 0);

            client.send("{\"cmd\":\"shutdown\"}");
            while (!client.next().line().isEmpty()) {
                // events before the end of the connection
            }

            assertExited("pid");
            assertThat(bridge.exitCode()).isZero();
        }
    }

    @Test
    void writesTimingLineIfEnabled() throws Exception {
        var environment = TestBridge.environment(directory, Map.of("ASH_DEBUG_TIMING", "1"));
        try (var bridge = BridgeProcess.start(directory, environment);
                var client = bridge.connect()) {
            client.query("demo: messages 1", ",\"turnId\":\"t1\"").untilDone();

            Awaitility.await()
                    .atMost(Duration.ofMinutes(1))
                    .until(() -> bridge.stderr().contains("\n"));
            assertThat(bridge.stderr())
                    .startsWith(
                            "{\"type\":\"timing\",\"source\":\"bridge\",\"sessionId\":\""
                                    + TestBridge.SESSION
                                    + "\",\"turnId\":\"t1\",\"queuedMs\":");
        }
    }

    @Test
    void handlesLongLinesWithinHeapLimit() throws Exception {
        var environment = TestBridge.environment(directory, FakeClaude.in(directory).environment());
        try (var bridge = BridgeProcess.start(directory, environment);
                var client = bridge.connect()) {
            for (int i = 0; i < 3; i++) {
                var turn = client.query("huge 16000000").untilDone();
                assertThat(turn.get(turn.size() - 3).data()).hasSizeGreaterThan(16_000_000);
            }
            var echo = client.query("x".repeat(10_000_000)).untilDone();
            assertThat(echo.get(1).data()).hasSizeGreaterThan(10_000_000);
        }
    }

    private static String exec(String command) {
        return "{\"cmd\":\"exec\",\"id\":\"e1\",\"command\":\"" + command + "\",\"timeout\":60000}";
    }

    private long size(String file) throws Exception {
        var path = directory.resolve("workspace").resolve(file);
        return Files.exists(path) ? Files.size(path) : 0;
    }

    private void assertExited(String file) throws Exception {
        var pid = Files.readString(directory.resolve("workspace").resolve(file)).strip();
        Awaitility.await()
                .atMost(Duration.ofMinutes(1))
                .until(() -> ProcessHandle.of(Long.parseLong(pid)).isEmpty());
    }
}

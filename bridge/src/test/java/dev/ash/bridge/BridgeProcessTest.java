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
    @TempDir private Path folder;

    @Test
    void endsWhenNoServerComesInTime() throws Exception {
        var environment = TestBridge.environment(folder, Map.of("ASH_BRIDGE_GRACE_MS", "300"));
        try (var bridge = BridgeProcess.start(folder, environment)) {
            assertThat(bridge.exitCode()).isZero();
            assertThat(bridge.stderr()).contains("no server for 300 ms");
        }
    }

    @Test
    void outlivesItsServerForTheGraceAndKillsWhatItStarted() throws Exception {
        var environment = TestBridge.environment(folder, Map.of("ASH_BRIDGE_GRACE_MS", "1500"));
        try (var bridge = BridgeProcess.start(folder, environment)) {
            try (var client = bridge.connect()) {
                client.send(exec("echo $$ > pid; sleep 60"));
                Awaitility.await().atMost(Duration.ofMinutes(1)).until(() -> size("pid") > 0);
            }
            try (var client = bridge.connect()) {
                assertThat(client.nextOf("ready").text("nonce")).isEqualTo("nonce-1");
            }
            assertThat(bridge.exitCode()).isZero();
            assertGone("pid");
        }
    }

    /** Its client and it share a process namespace here, as an agent's tools and it do. */
    @Test
    void refusesConnectionsFromWithinOnceItsServerCame() throws Exception {
        var environment = TestBridge.environment(folder, Map.of("ASH_BRIDGE_PEERS", "outside"));
        try (var bridge = BridgeProcess.start(folder, environment);
                var server = bridge.connect()) {
            server.nextOf("ready");
            try (var intruder = bridge.connect()) {
                assertThat(intruder.next().line()).as("nothing but the end").isEmpty();
            }

            server.send(exec("echo still here > answer"));

            Awaitility.await().atMost(Duration.ofMinutes(1)).until(() -> size("answer") > 0);
            assertThat(bridge.stderr()).contains("refused a connection from within the sandbox");
        }
    }

    @Test
    void terminationEndsItsCommands() throws Exception {
        try (var bridge = BridgeProcess.start(folder, TestBridge.environment(folder, Map.of()));
                var client = bridge.connect()) {
            client.send(exec("sleep 60 & echo $! > pid; wait"));
            Awaitility.await().atMost(Duration.ofMinutes(1)).until(() -> size("pid") > 0);

            bridge.terminate();

            assertThat(bridge.exitCode()).isEqualTo(143);
            assertGone("pid");
        }
    }

    /** Neither the variables nor the descriptor reach what it starts. */
    @ParameterizedTest
    @ValueSource(ints = {0, 9})
    void readsTheNonceFromADescriptorAndPassesItToNobody(int descriptor) throws Exception {
        var variables = Map.of("ASH_BRIDGE_NONCE_FD", Integer.toString(descriptor));
        var environment = TestBridge.environment(folder, variables);
        try (var bridge =
                        BridgeProcess.startWithDescriptor(
                                folder, environment, descriptor, "nonce-2");
                var client = bridge.connect()) {
            assertThat(client.nextOf("ready").text("nonce")).isEqualTo("nonce-2");

            client.send(exec("ls -l /proc/self/fd > files; env > seen"));

            Awaitility.await().atMost(Duration.ofMinutes(1)).until(() -> size("seen") > 0);
            assertThat(folder.resolve("workspace/seen"))
                    .content()
                    .doesNotContain("ASH_BRIDGE_NONCE", "nonce-");
            assertThat(folder.resolve("workspace/files"))
                    .content()
                    .contains("0 -> /dev/null")
                    .doesNotContain(" 9 -> ");
        }
    }

    @Test
    void refusesADescriptorWithoutANonce() throws Exception {
        var environment = TestBridge.environment(folder, Map.of("ASH_BRIDGE_NONCE_FD", "0"));
        try (var bridge = BridgeProcess.startWithDescriptor(folder, environment, 0, "")) {
            assertThat(bridge.exitCode()).isEqualTo(2);
            assertThat(bridge.stderr()).contains("must contain the nonce", "but has nothing");
        }
    }

    @Test
    void refusesADescriptorThatIsNone() throws Exception {
        var environment = TestBridge.environment(folder, Map.of("ASH_BRIDGE_NONCE_FD", "stdin"));
        try (var bridge = BridgeProcess.start(folder, environment)) {
            assertThat(bridge.exitCode()).isEqualTo(2);
            assertThat(bridge.stderr()).contains("must be the number of a descriptor");
        }
    }

    @Test
    void refusesToStartWithoutASocket() throws Exception {
        try (var bridge = BridgeProcess.start(folder, Map.of())) {
            assertThat(bridge.exitCode()).isEqualTo(2);
            assertThat(bridge.stderr())
                    .startsWith("bridge: cannot start: ASH_BRIDGE_SOCKET is not");
        }
    }

    @Test
    void refusesASocketPathThatIsTooLong() throws Exception {
        var path = folder.resolve("x".repeat(120)).toString();
        var environment = TestBridge.environment(folder, Map.of("ASH_BRIDGE_SOCKET", path));
        try (var bridge = BridgeProcess.start(folder, environment)) {
            assertThat(bridge.exitCode()).isEqualTo(2);
            assertThat(bridge.stderr()).contains("longer than 107 bytes");
        }
    }

    @Test
    void trainsItself() throws Exception {
        try (var bridge = BridgeProcess.start(folder, Map.of(), "--train")) {
            assertThat(bridge.exitCode()).as(bridge.stderr()).isZero();
        }
    }

    @Test
    void writesATimingLineWhereAsked() throws Exception {
        var environment = TestBridge.environment(folder, Map.of("ASH_DEBUG_TIMING", "1"));
        try (var bridge = BridgeProcess.start(folder, environment);
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
    void longLinesFitIntoItsMemory() throws Exception {
        var environment = TestBridge.environment(folder, FakeClaude.in(folder).environment());
        try (var bridge = BridgeProcess.start(folder, environment);
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
        var path = folder.resolve("workspace").resolve(file);
        return Files.exists(path) ? Files.size(path) : 0;
    }

    private void assertGone(String file) throws Exception {
        var pid = Files.readString(folder.resolve("workspace").resolve(file)).strip();
        Awaitility.await()
                .atMost(Duration.ofMinutes(1))
                .until(() -> ProcessHandle.of(Long.parseLong(pid)).isEmpty());
    }
}

package dev.ash.bridge;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Comparator;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Tests the relay in the real program, started by its environment as in a sandbox. */
@Timeout(60)
class RelayProcessTest {
    private Path directory;

    @BeforeEach
    void createDirectory() throws IOException {
        directory = Files.createTempDirectory(Path.of("/tmp"), "ash-relay");
    }

    @AfterEach
    void deleteDirectory() throws IOException {
        try (var files = Files.walk(directory)) {
            for (var file : files.sorted(Comparator.reverseOrder()).toList()) {
                Files.deleteIfExists(file);
            }
        }
    }

    @Test
    void programsInSandboxReachProxyOnLoopback() throws IOException {
        int port = freePort();
        try (var proxy = ServerSocketChannel.open(StandardProtocolFamily.UNIX)) {
            proxy.bind(UnixDomainSocketAddress.of(directory.resolve("proxy.sock")));
            try (var bridge = BridgeProcess.start(directory, environment(port));
                    var _ = bridge.connect();
                    var client = connect(port);
                    var server = proxy.accept()) {
                server.write(ByteBuffer.wrap("hello".getBytes(StandardCharsets.US_ASCII)));

                assertThat(client.getInputStream().readNBytes(5)).asString().isEqualTo("hello");
            }
        }
    }

    @Test
    void bridgeWorksIfRelayCannotListen() throws IOException {
        try (var taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
                var bridge = BridgeProcess.start(directory, environment(taken.getLocalPort()));
                var _ = bridge.connect()) {
            await().atMost(Duration.ofMinutes(1))
                    .until(() -> bridge.stderr().contains("bridge: no proxy on port"));
        }
    }

    private Map<String, String> environment(int port) {
        return Map.of(
                "ASH_BRIDGE_SOCKET", directory.resolve("b.sock").toString(),
                "ASH_WORKSPACE_DIR", directory.toString(),
                "ASH_ENGINE", "demo",
                "ASH_EGRESS_SOCKET", directory.resolve("proxy.sock").toString(),
                "ASH_EGRESS_PORT", Integer.toString(port));
    }

    private static Socket connect(int port) {
        return await().atMost(Duration.ofMinutes(1))
                .ignoreExceptions()
                .until(() -> new Socket("127.0.0.1", port), _ -> true);
    }

    private static int freePort() throws IOException {
        try (var socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return socket.getLocalPort();
        }
    }
}

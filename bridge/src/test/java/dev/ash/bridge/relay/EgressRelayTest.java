package dev.ash.bridge.relay;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Random;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;

@Timeout(60)
class EgressRelayTest {
    private final Queue<SocketChannel> accepted = new ConcurrentLinkedQueue<>();
    private Path socket;
    private ServerSocketChannel proxy;
    private EgressRelay relay;

    /** In /tmp, because socket paths are limited. The proxy echoes and then sends BYE. */
    @BeforeEach
    void start() throws IOException {
        socket = Files.createTempDirectory(Path.of("/tmp"), "ash-relay").resolve("proxy.sock");
        proxy = ServerSocketChannel.open(StandardProtocolFamily.UNIX);
        proxy.bind(UnixDomainSocketAddress.of(socket), 200);
        Thread.ofVirtual().start(this::echo);
        relay = EgressRelay.open(socket, 0);
    }

    @AfterEach
    void stop() throws IOException {
        relay.close();
        proxy.close();
        Files.deleteIfExists(socket);
        Files.delete(socket.getParent());
    }

    @Test
    void relaysBothDirectionsAndClosesThemSeparately() throws IOException {
        try (var client = connect()) {
            client.getOutputStream().write("hello".getBytes());
            assertThat(client.getInputStream().readNBytes(5)).asString().isEqualTo("hello");
            client.getOutputStream().write("last".getBytes());
            client.shutdownOutput();

            assertThat(client.getInputStream().readAllBytes()).asString().isEqualTo("lastBYE");
        }
    }

    @Test
    void relaysTenMegabytesConcurrently() throws Exception {
        var bytes = new byte[10 * 1024 * 1024];
        new Random(3).nextBytes(bytes);
        try (var client = connect()) {
            var sender =
                    Thread.ofVirtual()
                            .start(
                                    () -> {
                                        try {
                                            client.getOutputStream().write(bytes);
                                        } catch (IOException e) {
                                            throw new IllegalStateException(e);
                                        }
                                    });

            assertThat(client.getInputStream().readNBytes(bytes.length)).isEqualTo(bytes);
            sender.join();
        }
    }

    @Test
    void closesClientWhenProxyDisconnects() throws IOException {
        try (var client = connect()) {
            client.getOutputStream().write('x');
            assertThat(client.getInputStream().read()).isEqualTo('x');

            accepted.remove().close();

            assertThat(isClosed(client)).isTrue();
        }
    }

    @Test
    void reportsUnavailableServer() throws IOException {
        proxy.close();
        Files.delete(socket);
        try (var client = connect()) {
            client.getOutputStream().write("GET http://a/ HTTP/1.1\r\n\r\n".getBytes());

            assertThat(client.getInputStream().readAllBytes())
                    .asString()
                    .startsWith("HTTP/1.1 502 Ash: the server is unavailable");
        }
    }

    @Test
    void nextConnectionReachesNewServer() throws IOException {
        proxy.close();
        Files.delete(socket);
        proxy = ServerSocketChannel.open(StandardProtocolFamily.UNIX);
        proxy.bind(UnixDomainSocketAddress.of(socket));
        Thread.ofVirtual().start(this::echo);

        try (var client = connect()) {
            client.getOutputStream().write('y');
            assertThat(client.getInputStream().read()).isEqualTo('y');
        }
    }

    @Test
    void closesExcessConnectionsAndReusesPermits() throws IOException {
        var clients = new ArrayList<Socket>();
        for (int i = 0; i < 96; i++) {
            var client = connect();
            client.getOutputStream().write('x');
            assertThat(client.getInputStream().read()).isEqualTo('x');
            clients.add(client);
        }
        try (var rejected = connect()) {
            assertThat(isClosed(rejected)).isTrue();
        }
        for (var client : clients) {
            client.close();
        }

        await().atMost(Duration.ofMinutes(1))
                .until(
                        () -> {
                            try (var client = connect()) {
                                client.getOutputStream().write('x');
                                return client.getInputStream().read() == 'x';
                            } catch (IOException e) {
                                return false;
                            }
                        });
    }

    @Test
    void warnsIfPortIsUnavailable() throws IOException {
        var before = System.err;
        var output = new ByteArrayOutputStream();
        try (var taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
                var err = new PrintStream(output, true, StandardCharsets.UTF_8)) {
            System.setErr(err);
            EgressRelay.startIfConfigured(
                    Map.of(
                            "ASH_EGRESS_SOCKET",
                            socket.toString(),
                            "ASH_EGRESS_PORT",
                            Integer.toString(taken.getLocalPort())));
            EgressRelay.startIfConfigured(
                    Map.of("ASH_EGRESS_SOCKET", socket.toString(), "ASH_EGRESS_PORT", "none"));
            EgressRelay.startIfConfigured(
                    Map.of("ASH_EGRESS_SOCKET", socket.toString(), "ASH_EGRESS_PORT", "70000"));
        } finally {
            System.setErr(before);
        }

        // Threads of other tests may write to stderr too.
        assertThat(output.toString(StandardCharsets.UTF_8).lines())
                .filteredOn(line -> line.startsWith("bridge: no proxy on port"))
                .hasSize(3);
    }

    /** Checks the listening socket itself: another process may reuse the free port. */
    @Test
    @EnabledOnOs(OS.LINUX)
    void listensOnLoopbackOnlyAndStopsListeningWhenClosed() throws IOException {
        int port = relay.port();
        var listener = listeners().get(port);
        relay.close();

        assertThat(listener.address()).isEqualTo("0100007F");
        assertThat(listeners().values())
                .extracting(Listener::inode)
                .doesNotContain(listener.inode());
    }

    private record Listener(String address, String inode) {}

    /** The listening IPv4 and mapped IPv6 sockets of this machine, by port. */
    private static Map<Integer, Listener> listeners() throws IOException {
        var listeners = new HashMap<Integer, Listener>();
        for (var table : List.of("/proc/net/tcp", "/proc/net/tcp6")) {
            for (var line : Files.readAllLines(Path.of(table))) {
                var fields = line.strip().split("\\s+");
                if (fields.length > 9 && fields[3].equals("0A")) { // TCP_LISTEN
                    var local = fields[1].split(":");
                    var address = local[0].substring(local[0].length() - 8);
                    listeners.put(Integer.parseInt(local[1], 16), new Listener(address, fields[9]));
                }
            }
        }
        return listeners;
    }

    private Socket connect() throws IOException {
        return new Socket("127.0.0.1", relay.port());
    }

    private static boolean isClosed(Socket client) {
        try {
            return client.getInputStream().read() < 0;
        } catch (IOException e) {
            return true;
        }
    }

    private void echo() {
        var listener = proxy;
        try {
            while (true) {
                var channel = listener.accept();
                accepted.add(channel);
                Thread.ofVirtual().start(() -> echo(channel));
            }
        } catch (IOException e) {
            // closed
        }
    }

    private static void echo(SocketChannel channel) {
        try (channel) {
            var buffer = ByteBuffer.allocate(10_000);
            while (channel.read(buffer) >= 0) {
                buffer.flip();
                while (buffer.hasRemaining()) {
                    channel.write(buffer);
                }
                buffer.clear();
            }
            channel.write(ByteBuffer.wrap("BYE".getBytes(StandardCharsets.US_ASCII)));
        } catch (IOException e) {
            // the client disconnected
        }
    }
}

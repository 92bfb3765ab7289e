package dev.ash.sandbox;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.ash.protocol.bridge.BridgeCommand;
import dev.ash.protocol.bridge.BridgeEvent;
import dev.ash.protocol.bridge.BridgeProtocol;
import dev.ash.protocol.json.JsonLinesReader;
import dev.ash.protocol.json.MalformedJsonException;
import dev.ash.protocol.socket.ChannelInput;
import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashSet;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class BridgeClientTest {
    private static final Duration SECONDS = Duration.ofSeconds(30);

    @TempDir private Path directory;

    private Path socket() {
        return directory.resolve("s.sock");
    }

    private ServerSocketChannel listen() throws IOException {
        var server = ServerSocketChannel.open(StandardProtocolFamily.UNIX);
        return server.bind(UnixDomainSocketAddress.of(socket()));
    }

    private static void send(SocketChannel peer, String text) throws IOException {
        var bytes = ByteBuffer.wrap(text.getBytes(StandardCharsets.UTF_8));
        while (bytes.hasRemaining()) {
            peer.write(bytes);
        }
    }

    /** Accepts a connection, sends text, and returns the connection. */
    private static ArrayBlockingQueue<SocketChannel> greet(
            ServerSocketChannel server, String text) {
        var accepted = new ArrayBlockingQueue<SocketChannel>(1);
        Thread.ofVirtual()
                .start(
                        () -> {
                            try {
                                var peer = server.accept();
                                send(peer, text);
                                accepted.add(peer);
                            } catch (IOException e) {
                                // The test fails for lack of a connection.
                            }
                        });
        return accepted;
    }

    @Test
    void readsEventsInOrder() throws Exception {
        try (var server = listen()) {
            var peer = greet(server, "{\"ev\":\"ready\",\"engine\":\"demo\"}\n");
            try (var client = BridgeClient.connect(socket(), SECONDS)) {
                send(
                        peer.poll(30, TimeUnit.SECONDS),
                        "{\"ev\":\"error\",\"error\":\"é\",\"n\":4}\n");

                assertThat(client.ready()).isEqualTo(new BridgeEvent.Ready(null, null, "demo"));
                assertThat(client.next().n()).isEqualTo(4);
            }
        }
    }

    @Test
    void waitsForSocketToAppear() throws Exception {
        var connected = new ArrayBlockingQueue<BridgeClient>(1);
        Thread.ofVirtual()
                .start(
                        () -> {
                            try {
                                connected.add(BridgeClient.connect(socket(), SECONDS));
                            } catch (IOException e) {
                                // The test fails for lack of a client.
                            }
                        });
        try (var server = listen()) {
            greet(server, "{\"ev\":\"ready\"}\n");

            assertThat(connected.poll(30, TimeUnit.SECONDS)).isNotNull();
        }
    }

    @Test
    void writesWholeLinesConcurrentlyWithReads() throws Exception {
        try (var server = listen()) {
            var peer = greet(server, "{\"ev\":\"ready\"}\n");
            try (var client = BridgeClient.connect(socket(), SECONDS)) {
                Thread.ofVirtual().start(() -> read(client));
                for (int i = 0; i < 20; i++) {
                    var text = Integer.toString(10 + i).repeat(10_000);
                    Thread.ofVirtual().start(() -> send(client, text));
                }

                var lines =
                        new JsonLinesReader(
                                new ChannelInput(peer.poll(30, TimeUnit.SECONDS)), 1 << 20);
                var received = new HashSet<String>();
                for (int i = 0; i < 20; i++) {
                    var command = (BridgeCommand.Exec) BridgeProtocol.decodeCommand(lines.next());
                    received.add(command.command().substring(0, 2));
                }
                assertThat(received).hasSize(20);
            }
        }
    }

    private static void read(BridgeClient client) {
        try {
            client.next();
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    private static void send(BridgeClient client, String text) {
        try {
            client.send(new BridgeCommand.Exec("1", text, 1));
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    @Test
    void treatsTruncatedLineAsEndOfStream() throws Exception {
        try (var server = listen()) {
            var peer = greet(server, "{\"ev\":\"ready\"}\n{\"ev\":\"do");
            try (var client = BridgeClient.connect(socket(), SECONDS)) {
                peer.poll(30, TimeUnit.SECONDS).close();

                assertThat(client.next()).isNull();
            }
        }
    }

    @Test
    void treatsConnectionResetAsEndOfStream() throws Exception {
        try (var server = listen()) {
            var peer = greet(server, "{\"ev\":\"ready\"}\n");
            try (var client = BridgeClient.connect(socket(), SECONDS)) {
                client.send(
                        new BridgeCommand.Interrupt(
                                null)); // stays unread, so the kernel resets the connection
                peer.poll(30, TimeUnit.SECONDS).close();

                assertThat(client.next()).isNull();
                assertThatThrownBy(() -> client.send(new BridgeCommand.Interrupt(null)))
                        .isInstanceOf(IOException.class);
            }
        }
    }

    @Test
    void rejectsLineThatIsNotJson() throws Exception {
        try (var server = listen()) {
            greet(server, "{\"ev\":\"ready\"}\nhello\n");
            try (var client = BridgeClient.connect(socket(), SECONDS)) {
                assertThatThrownBy(client::next).isInstanceOf(MalformedJsonException.class);
            }
        }
    }

    @Test
    void doesNotFollowLinkToAnotherSocket() throws Exception {
        try (var server = listen()) {
            greet(server, "{\"ev\":\"ready\"}\n");
            var link = Files.createSymbolicLink(directory.resolve("link.sock"), socket());

            assertThatThrownBy(() -> BridgeClient.connect(link, Duration.ofMillis(50)))
                    .isInstanceOf(IOException.class);
        }
    }

    @Test
    void failsWhenBridgeIsDead() {
        assertThatThrownBy(() -> BridgeClient.connect(socket(), SECONDS, () -> false))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("does not listen");
    }
}

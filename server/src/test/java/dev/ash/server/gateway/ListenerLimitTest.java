package dev.ash.server.gateway;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ash.server.egress.policy.Subnet;
import dev.ash.server.http.HttpConfig;
import dev.ash.server.http.HttpServer;
import dev.ash.server.identity.TestIdentities;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Optional;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;

class ListenerLimitTest {
    private static ListenerLimit limit() {
        return new ListenerLimit(
                new GatewayConfig(
                        true,
                        new HttpConfig("127.0.0.1", 0),
                        Optional.empty(),
                        Optional.empty(),
                        List.of(Subnet.parse("10.0.0.0/8")),
                        List.of(Subnet.parse("127.0.0.8/32")),
                        true,
                        new GatewayConfig.Limits(2, 1, 1)));
    }

    @Test
    void countsIpv6AddressesByPrefixAndExemptsProxies() {
        var limit = limit();
        for (var address : List.of("2001:db8::1", "2001:db8::2", "2001:db8::3")) {
            assertThat(limit.opened(InetAddress.ofLiteral(address))).isTrue();
        }
        assertThat(limit.opened(InetAddress.ofLiteral("2001:db8::4"))).isFalse();
        assertThat(limit.opened(InetAddress.ofLiteral("2001:db8:0:1::4"))).isTrue();
        limit.closed(InetAddress.ofLiteral("2001:db8::1"));
        assertThat(limit.opened(InetAddress.ofLiteral("2001:db8::4"))).isTrue();
        for (int i = 0; i < 10; i++) {
            assertThat(limit.opened(InetAddress.ofLiteral("10.0.0.1"))).isTrue();
            assertThat(limit.opened(InetAddress.ofLiteral("127.0.0.8"))).isTrue();
        }
    }

    @Test
    void closesIdleConnectionsAboveLimit() throws IOException {
        var open = new ArrayDeque<Socket>();
        try (var server =
                new HttpServer(new HttpConfig("127.0.0.1", 0), TestIdentities.none(), List.of())) {
            server.limit(limit());
            int port = server.start();
            for (int i = 0; i < 3; i++) {
                open.add(connect(port, "127.0.0.1"));
                assertThat(answers(open.getLast())).isTrue();
            }

            try (var refused = connect(port, "127.0.0.1");
                    var other = connect(port, "127.0.0.2")) {
                assertThat(answers(refused)).isFalse();
                assertThat(answers(other)).isTrue();
            }
            open.removeFirst().close();

            Awaitility.await() // until the server has noticed the close
                    .until(
                            () -> {
                                try (var next = connect(port, "127.0.0.1")) {
                                    return answers(next);
                                }
                            });
        } finally {
            for (var socket : open) {
                socket.close();
            }
        }
    }

    private static Socket connect(int port, String from) throws IOException {
        var socket = new Socket();
        socket.bind(new InetSocketAddress(InetAddress.ofLiteral(from), 0));
        socket.connect(new InetSocketAddress("127.0.0.1", port));
        socket.setSoTimeout(30_000);
        return socket;
    }

    /** Returns whether the server answers a request; keeps the connection open. */
    private static boolean answers(Socket socket) throws IOException {
        try {
            socket.getOutputStream()
                    .write(
                            "GET /no HTTP/1.1\r\nHost: localhost\r\n\r\n"
                                    .getBytes(StandardCharsets.US_ASCII));
            return socket.getInputStream().read() == 'H';
        } catch (SocketException e) {
            return false; // reset, because the request was not read
        }
    }
}

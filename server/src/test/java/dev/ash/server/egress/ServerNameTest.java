package dev.ash.server.egress;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ash.server.egress.http.ClientHelloTest;
import dev.ash.server.egress.http.TestClient;
import java.io.IOException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Tests the check of TLS server names, which select one of the hosts behind an address. */
class ServerNameTest {
    @Test
    @Timeout(60)
    void closesTunnelAndReportsOtherServerNames() throws Exception {
        try (var echo = EchoServer.start();
                var proxy =
                        TestProxy.with(
                                TestProxy.LONG_TIMEOUTS,
                                TestProxy.resolving("good.example", "127.0.0.1"),
                                "good.example:" + echo.port())) {
            try (var client = tunnel(proxy, echo.port())) {
                client.send(ClientHelloTest.hello("evil.example"));

                assertThat(client.isClosed()).isTrue();
            }
            assertThat(proxy.blocked)
                    .singleElement()
                    .matches(blocked -> blocked.host().equals("evil.example"))
                    .matches(blocked -> blocked.reason().contains("good.example"));
            try (var client = tunnel(proxy, echo.port())) {
                var hello = ClientHelloTest.hello("good.example");
                client.send(hello);

                assertThat(client.in.readNBytes(hello.length)).isEqualTo(hello);
            }
        }
    }

    @Test
    @Timeout(60)
    void acceptsOtherServerNamesThatAreAllowed() throws Exception {
        try (var echo = EchoServer.start();
                var proxy =
                        TestProxy.with(
                                TestProxy.LONG_TIMEOUTS,
                                TestProxy.resolving("good.example", "127.0.0.1"),
                                "good.example:" + echo.port(),
                                "*.also.example:" + echo.port());
                var client = tunnel(proxy, echo.port())) {
            var hello = ClientHelloTest.hello("www.also.example");
            client.send(hello);

            assertThat(client.in.readNBytes(hello.length)).isEqualTo(hello);
        }
    }

    private static TestClient tunnel(TestProxy proxy, int port) throws IOException {
        var client = proxy.connect();
        client.send("CONNECT good.example:" + port + " HTTP/1.1\r\nHost: x\r\n\r\n");
        assertThat(client.head().status()).isEqualTo(200);
        return client;
    }
}

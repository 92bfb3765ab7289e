package dev.ash.sdk;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ash.protocol.rest.GatewayApi;
import java.io.IOException;
import org.junit.jupiter.api.Test;

class GatewayClientTest {
    private static final String GATEWAY =
            "{\"gateway\":{\"status\":\"listening\",\"host\":\"0.0.0.0\",\"port\":3000,\"url\":\"wss://h:3000\",\"fingerprint\":\"ab\",\"reachable\":true}}";

    @Test
    void sendsOneRequestForEachCall() throws IOException {
        try (var server = new FakeServer()) {
            server.on("GET /api/gateway", GATEWAY);
            server.on("PATCH /api/gateway", GATEWAY);
            var gateway = server.client().gateway();
            var expected =
                    new GatewayApi.Gateway(
                            "listening", "0.0.0.0", 3000, "wss://h:3000", "ab", true, null, null);

            assertThat(gateway.show()).isEqualTo(expected);
            assertThat(gateway.move("0.0.0.0", null)).isEqualTo(expected);
            gateway.move("0.0.0.0", 3001);

            assertThat(server.lines())
                    .containsExactly(
                            "GET /api/gateway",
                            "PATCH /api/gateway {\"host\":\"0.0.0.0\"}",
                            "PATCH /api/gateway {\"host\":\"0.0.0.0\",\"port\":3001}");
        }
    }
}

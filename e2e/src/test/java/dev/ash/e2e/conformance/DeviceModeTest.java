package dev.ash.e2e.conformance;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ash.e2e.AshExtension;
import dev.ash.e2e.conformance.DeviceGateway.Pairing;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import tools.jackson.databind.JsonNode;

/** Document 004: connection modes, health checks and acknowledged warnings. */
class DeviceModeTest {
    private static final String WARNING = "DIRECT_PUBLIC_CONNECTION";
    private static final String PROXY = "127.0.0.1";
    private static final String TUNNEL = "127.0.0.2";
    private static final String LOCAL = "127.0.0.3";

    @RegisterExtension
    static final AshExtension ash =
            DeviceGateway.extension()
                    .with("ASH_TRUSTED_PROXIES", PROXY)
                    .with("ASH_TUNNEL_PROXIES", TUNNEL);

    private static DeviceGateway gateway;
    private static JsonNode healthy;
    private static JsonNode warned;
    private static JsonNode accepted;

    @BeforeAll
    static void start() {
        gateway = DeviceGateway.of(ash);
        try (var local = connect(LOCAL, Map.of())) {
            healthy = health(local, Instant.now());
        }
        try (var distant = behindProxy("8.8.8.8")) {
            warned = health(distant, Instant.now());
            accepted = distant.ask(ACKNOWLEDGE);
        }
    }

    private static final String ACKNOWLEDGE =
            """
            { "type": "acknowledge_warning", "id": "ack-001", "payload": { \
            "warning_code": "DIRECT_PUBLIC_CONNECTION", "acknowledged": true, \
            "acknowledged_at": "2026-03-20T14:32:30Z" }}""";

    private static DeviceSocket connect(String from, Map<String, String> headers) {
        return connect(gateway.pair(), from, headers);
    }

    private static DeviceSocket connect(Pairing device, String from, Map<String, String> headers) {
        var socket = DeviceSocket.open(device.url(), from, headers);
        var ack = socket.ask(device.auth());
        assertThat(ack.path("type").asString()).as("%s", ack).isEqualTo("connection_ack");
        return socket;
    }

    private static DeviceSocket behindProxy(String address) {
        return connect(PROXY, forwarded(address));
    }

    private static Map<String, String> forwarded(String address) {
        return Map.of("X-Forwarded-For", address, "X-Forwarded-Proto", "https");
    }

    private static String mode(String from, Map<String, String> headers) {
        var device = gateway.pair();
        try (var socket = DeviceSocket.open(device.url(), from, headers)) {
            return socket.ask(device.auth()).at("/payload/connection_mode").asString();
        }
    }

    private static JsonNode health(DeviceSocket socket, Instant timestamp) {
        return socket.ask(
                """
                { "type": "health_check", "id": "health-001", "payload": { \
                "timestamp": "2026-03-20T14:32:00Z", "client_nonce": "random-nonce-123", \
                "client_capabilities": ["health_v1", "acknowledgment_v1"] }}"""
                        .replace("2026-03-20T14:32:00Z", timestamp.toString()));
    }

    @Statement(id = "004-030", says = "local_only: loopback address 127.0.0.1")
    @Test
    void classifiesIpv4LoopbackAsLocal() {
        assertThat(mode(PROXY, forwarded("127.0.0.1"))).isEqualTo("local_only");
        assertThat(mode(LOCAL, Map.of())).isEqualTo("local_only");
    }

    @Statement(id = "004-031", says = "local_only: loopback address ::1")
    @Test
    void classifiesIpv6LoopbackAsLocal() {
        assertThat(mode(PROXY, forwarded("::1"))).isEqualTo("local_only");
    }

    @Statement(id = "004-032", says = "private_network: 10.x")
    @Test
    void classifies10AsPrivate() {
        assertThat(mode(PROXY, forwarded("10.1.2.3"))).isEqualTo("private_network");
    }

    @Statement(id = "004-033", says = "private_network: 172.16-31.x")
    @Test
    void classifies172AsPrivate() {
        assertThat(mode(PROXY, forwarded("172.16.0.1"))).isEqualTo("private_network");
        assertThat(mode(PROXY, forwarded("172.31.255.254"))).isEqualTo("private_network");
        assertThat(mode(PROXY, forwarded("172.32.0.1"))).isEqualTo("direct_public");
    }

    @Statement(id = "004-034", says = "private_network: 192.168.x")
    @Test
    void classifies192168AsPrivate() {
        assertThat(mode(PROXY, forwarded("192.168.1.7"))).isEqualTo("private_network");
    }

    @Statement(id = "004-035", says = "secure_remote: Tailscale (100.x.x.x)")
    @Test
    void classifiesTailscaleAsSecure() {
        assertThat(mode(PROXY, forwarded("100.100.1.1"))).isEqualTo("secure_remote");
    }

    @Statement(id = "004-036", says = "secure_remote: a validated secure tunnel")
    @Test
    void classifiesAConfiguredTunnelAsSecure() {
        assertThat(mode(TUNNEL, forwarded("8.8.8.8"))).isEqualTo("secure_remote");
    }

    @Statement(id = "004-037", says = "direct_public: a public address without a tunnel")
    @Test
    void classifiesAPublicAddressAsPublic() {
        assertThat(mode(PROXY, forwarded("8.8.8.8"))).isEqualTo("direct_public");
    }

    @Statement(id = "004-038", says = "direct_public requires acknowledgment")
    @Test
    void servesNothingBeforeTheAcknowledgment() {
        try (var socket = behindProxy("8.8.8.8")) {
            var error = socket.ask(gateway.sessionStart());
            assertThat(error.path("type").asString()).isEqualTo("error");
            assertThat(error.at("/payload/message").asString()).contains(WARNING);
        }
    }

    @Statement(id = "004-039", says = "misconfigured: the connection is rejected")
    @Test
    void rejectsAMisconfiguredConnection() {
        var device = gateway.pair();
        try (var socket = DeviceSocket.open(device.url(), LOCAL, forwarded("8.8.8.8"))) {
            var error = socket.await("connection_error");
            assertThat(error.at("/payload/code").asString()).isEqualTo("MISCONFIGURED");
            socket.awaitClose();
        }
    }

    @Statement(id = "004-040", says = "health_check is answered with health_status, with its id")
    @Test
    void answersAHealthCheck() {
        assertThat(healthy.path("type").asString()).isEqualTo("health_status");
        assertThat(healthy.path("id").asString()).isEqualTo("health-001");
    }

    @Statement(id = "004-041", says = "health_check: timestamp is compared with the server's clock")
    @Test
    void comparesTheClocks() {
        try (var socket = connect(LOCAL, Map.of())) {
            var status = health(socket, Instant.now().minus(Duration.ofHours(1))).path("payload");
            assertThat(status.at("/checks/clock_sync").asBoolean(true)).isFalse();
            assertThat(status.path("status").asString()).isEqualTo("warning");
            assertThat(status.path("warnings").get(0).asString()).isEqualTo("CLOCK_SKEW");
        }
    }

    @Statement(id = "004-042", says = "health_check: client_nonce")
    @Test
    void returnsTheNonce() {
        assertThat(healthy.at("/payload/client_nonce").asString()).isEqualTo("random-nonce-123");
    }

    @Statement(id = "004-043", says = "health_check: client_capabilities declares capabilities")
    @Test
    void acceptsCapabilitiesInAHealthCheck() {
        try (var socket = connect(LOCAL, Map.of())) {
            var interrupt =
                    """
                    { "type": "interrupt", "id": "i-1", "payload": { "session_id": "sess-abc123" }}""";
            assertThat(socket.ask(interrupt).at("/payload/code").asString())
                    .isEqualTo("BRIDGE_ERROR");
            socket.ask(
                    """
                    { "type": "health_check", "id": "health-001", "payload": { "timestamp": "%s", \
                    "client_capabilities": ["health_v1", "interrupt_v1"] }}"""
                            .formatted(Instant.now()));
            assertThat(socket.ask(interrupt).at("/payload/code").asString())
                    .isEqualTo("SESSION_NOT_FOUND");
        }
    }

    @Statement(id = "004-044", says = "health_status: status is healthy")
    @Test
    void reportsAHealthyConnection() {
        assertThat(healthy.at("/payload/status").asString()).isEqualTo("healthy");
    }

    @Statement(id = "004-045", says = "health_status: connection_mode")
    @Test
    void reportsTheConnectionMode() {
        assertThat(healthy.at("/payload/connection_mode").asString()).isEqualTo("local_only");
    }

    @Statement(id = "004-046", says = "health_status: warnings is an empty list without warnings")
    @Test
    void reportsNoWarnings() {
        assertThat(healthy.at("/payload/warnings").isArray()).isTrue();
        assertThat(healthy.at("/payload/warnings").isEmpty()).isTrue();
    }

    private static void assertCheck(JsonNode status, String check) {
        assertThat(status.at("/payload/checks/" + check).isBoolean()).as("%s", status).isTrue();
        assertThat(status.at("/payload/checks/" + check).asBoolean()).as("%s", status).isTrue();
    }

    @Statement(id = "004-047", says = "health_status: checks.tls_valid")
    @Test
    void checksTls() {
        assertCheck(healthy, "tls_valid");
    }

    @Statement(id = "004-048", says = "health_status: checks.clock_sync")
    @Test
    void checksTheClock() {
        assertCheck(healthy, "clock_sync");
    }

    @Statement(id = "004-049", says = "health_status: checks.version_compatible")
    @Test
    void checksTheVersion() {
        assertCheck(healthy, "version_compatible");
    }

    @Statement(id = "004-050", says = "health_status: checks.token_permissions")
    @Test
    void checksTheToken() {
        assertCheck(healthy, "token_permissions");
    }

    @Statement(id = "004-051", says = "health_status: server_timestamp")
    @Test
    void reportsTheServersTime() {
        assertThat(Instant.parse(healthy.at("/payload/server_timestamp").asString()))
                .isBetween(Instant.now().minusSeconds(300), Instant.now());
    }

    @Statement(id = "004-052", says = "health_status: latency_ms")
    @Test
    void reportsTheLatency() {
        assertThat(healthy.at("/payload/latency_ms").isIntegralNumber()).isTrue();
        assertThat(healthy.at("/payload/latency_ms").asLong()).isBetween(0L, 60_000L);
    }

    @Statement(id = "004-053", says = "health_status: ready is true")
    @Test
    void isReady() {
        assertThat(healthy.at("/payload/ready").asBoolean(false)).isTrue();
    }

    @Statement(id = "004-054", says = "Direct public remote: status is warning")
    @Test
    void warnsPublicDevices() {
        assertThat(warned.at("/payload/status").asString()).isEqualTo("warning");
        assertThat(warned.at("/payload/connection_mode").asString()).isEqualTo("direct_public");
    }

    @Statement(id = "004-055", says = "Direct public remote: warnings is DIRECT_PUBLIC_CONNECTION")
    @Test
    void namesTheWarning() {
        assertThat(warned.at("/payload/warnings").valueStream().map(JsonNode::asString))
                .containsExactly(WARNING);
    }

    @Statement(id = "004-056", says = "Direct public remote: warning_details explains the warning")
    @Test
    void explainsTheWarning() {
        assertThat(warned.at("/payload/warning_details/" + WARNING).asString())
                .contains("internet without a tunnel")
                .contains("certificate");
    }

    @Statement(id = "004-057", says = "Direct public remote: all checks are true")
    @Test
    void checksPublicDevicesToo() {
        for (var check :
                List.of("tls_valid", "clock_sync", "version_compatible", "token_permissions")) {
            assertCheck(warned, check);
        }
    }

    @Statement(id = "004-058", says = "Direct public remote: ready is false")
    @Test
    void isNotReadyBeforeTheAcknowledgment() {
        assertThat(warned.at("/payload/ready").asBoolean(true)).isFalse();
    }

    @Statement(id = "004-059", says = "Direct public remote: requires_acknowledgment is true")
    @Test
    void requiresAnAcknowledgment() {
        assertThat(warned.at("/payload/requires_acknowledgment").asBoolean(false)).isTrue();
        assertThat(healthy.path("payload").has("requires_acknowledgment")).isFalse();
    }

    @Statement(id = "004-060", says = "acknowledge_warning makes the connection usable")
    @Test
    void servesRequestsAfterTheAcknowledgment() {
        try (var socket = behindProxy("8.8.8.8")) {
            socket.ask(ACKNOWLEDGE);
            assertThat(health(socket, Instant.now()).at("/payload/ready").asBoolean(false))
                    .isTrue();
            assertThat(DeviceGateway.join(socket, "sess-abc123").at("/payload/code").asString())
                    .isEqualTo("SESSION_NOT_FOUND");
        }
    }

    @Statement(id = "004-061", says = "acknowledge_warning: acknowledged is the user's decision")
    @Test
    void rejectsAWarningThatIsNotAcknowledged() {
        try (var socket = behindProxy("8.8.8.8")) {
            var error = socket.ask(ACKNOWLEDGE.replace("true", "false"));
            assertThat(error.path("type").asString()).isEqualTo("error");
            assertThat(health(socket, Instant.now()).at("/payload/ready").asBoolean(true))
                    .isFalse();
        }
    }

    @Statement(id = "004-062", says = "acknowledge_warning: warning_code names the warning")
    @Test
    void rejectsAnUnknownWarning() {
        try (var socket = behindProxy("8.8.8.8")) {
            var error = socket.ask(ACKNOWLEDGE.replace(WARNING, "OTHER"));
            assertThat(error.path("type").asString()).isEqualTo("error");
            assertThat(error.at("/payload/message").asString()).contains("OTHER");
        }
    }

    @Statement(id = "004-063", says = "acknowledgment_accepted has the id of acknowledge_warning")
    @Test
    void confirmsTheAcknowledgment() {
        assertThat(accepted.path("type").asString()).isEqualTo("acknowledgment_accepted");
        assertThat(accepted.path("id").asString()).isEqualTo("ack-001");
    }

    @Statement(id = "004-064", says = "acknowledgment_accepted: warning_code")
    @Test
    void repeatsTheWarning() {
        assertThat(accepted.at("/payload/warning_code").asString()).isEqualTo(WARNING);
    }

    @Statement(id = "004-065", says = "acknowledgment_accepted: ready is true")
    @Test
    void isReadyAfterTheAcknowledgment() {
        assertThat(accepted.at("/payload/ready").asBoolean(false)).isTrue();
    }

    @Statement(id = "004-066", says = "acknowledgment_accepted: session_timeout is 8h")
    @Test
    void remembersTheAcknowledgmentForEightHours() {
        assertThat(accepted.at("/payload/session_timeout").asString()).isEqualTo("8h");
        var device = gateway.pair();
        try (var socket = connect(device, PROXY, forwarded("8.8.8.8"))) {
            socket.ask(ACKNOWLEDGE);
        }
        try (var again = connect(device, PROXY, forwarded("8.8.4.4"))) {
            assertThat(health(again, Instant.now()).at("/payload/ready").asBoolean(false)).isTrue();
        }
    }
}

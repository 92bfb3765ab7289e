package dev.ash.e2e.gateway;

import static dev.ash.e2e.gateway.ConnectionConformanceTest.auth;
import static dev.ash.e2e.gateway.ConnectionConformanceTest.connectionError;
import static org.assertj.core.api.Assertions.assertThat;

import dev.ash.e2e.AshExtension;
import dev.ash.e2e.AshServer;
import dev.ash.e2e.NeedsClaude;
import dev.ash.e2e.gateway.DeviceClient.Pairing;
import java.net.URI;
import java.time.Instant;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.extension.RegisterExtension;
import tools.jackson.databind.JsonNode;

/** Tests devices behind a trusted proxy, most of them with public addresses. */
@NeedsClaude
class PublicConformanceTest {
    private static final String WARNING = "DIRECT_PUBLIC_CONNECTION";

    @RegisterExtension
    static final AshExtension ash =
            AshExtension.claude()
                    .gateway()
                    .sampleProject()
                    .with("ASH_TRUSTED_PROXIES", "127.0.0.1");

    private static Phone from(Pairing pairing, String address) {
        return Phone.of(
                DeviceClient.connect(
                        URI.create(pairing.url()),
                        pairing.fingerprint(),
                        Map.of("X-Forwarded-For", address, "X-Forwarded-Proto", "https")),
                pairing);
    }

    private static Phone publicPhone() {
        return from(ash.pair(), "8.8.8.8");
    }

    private static JsonNode health(Phone phone) {
        return HealthConformanceTest.health(phone, Instant.now());
    }

    private static void acknowledge(Phone phone) {
        phone.ask("acknowledge_warning", acknowledgment(true), "acknowledgment_accepted");
    }

    private static Map<String, Object> acknowledgment(boolean acknowledged) {
        return Map.of(
                "warning_code",
                WARNING,
                "acknowledged",
                acknowledged,
                "acknowledged_at",
                Instant.now().toString());
    }

    @TestFactory
    Stream<DynamicTest> reportsTheConnectionModeOfEachAddress() {
        return Map.of(
                        "8.8.8.8", "direct_public",
                        "192.168.1.7", "private_network",
                        "100.100.1.1", "secure_remote",
                        "fd7a:115c:a1e0::1", "secure_remote")
                .entrySet()
                .stream()
                .map(
                        row ->
                                DynamicTest.dynamicTest(
                                        row.getKey() + " is " + row.getValue(),
                                        () -> {
                                            var pairing = ash.pair();
                                            try (var phone = from(pairing, row.getKey())) {
                                                assertThat(
                                                                phone.ack()
                                                                        .path("connection_mode")
                                                                        .asString())
                                                        .isEqualTo(row.getValue());
                                            }
                                        }));
    }

    @TestFactory
    Stream<DynamicTest> warnsPublicDevicesInHealthStatus() {
        try (var phone = publicPhone()) {
            return Checks.of("health_status", health(phone))
                    .equal("status", "warning")
                    .equal("connection_mode", "direct_public")
                    .equal("warnings/0", WARNING)
                    .text("warning_details/" + WARNING)
                    .equal("checks/tls_valid", true)
                    .equal("checks/clock_sync", true)
                    .equal("checks/version_compatible", true)
                    .equal("checks/token_permissions", true)
                    .equal("ready", false)
                    .equal("requires_acknowledgment", true)
                    .all();
        }
    }

    @TestFactory
    Stream<DynamicTest> rejectsRequestsBeforeTheAcknowledgment() {
        return Stream.of(
                        "session_start",
                        "message",
                        "approval_response",
                        "session_end",
                        "git_status_request",
                        "git_commit",
                        "git_diff",
                        "file_list",
                        "file_read")
                .map(
                        type ->
                                DynamicTest.dynamicTest(
                                        type, () -> assertRequiresAcknowledgment(type)));
    }

    private static void assertRequiresAcknowledgment(String type) {
        try (var phone = publicPhone()) {
            var error =
                    phone.assertError(
                            type,
                            Map.of("agent", "claude-code", "path", "/etc", "resume", false),
                            "BRIDGE_ERROR",
                            true);
            assertThat(error.path("message").asString()).contains(WARNING);
        }
    }

    @TestFactory
    Stream<DynamicTest> sendsAcknowledgmentAcceptedWithEveryField() {
        try (var phone = publicPhone()) {
            return Checks.of(
                            "acknowledgment_accepted",
                            phone.ask(
                                    "acknowledge_warning",
                                    acknowledgment(true),
                                    "acknowledgment_accepted"))
                    .equal("warning_code", WARNING)
                    .equal("ready", true)
                    .equal("session_timeout", "8h")
                    .all();
        }
    }

    @Test
    void keepsTheAcknowledgmentOnTheNextConnection() {
        var pairing = ash.pair();
        try (var phone = from(pairing, "8.8.8.8")) {
            acknowledge(phone);
            phone.assertError(
                    "session_start",
                    Phone.resuming(java.util.UUID.randomUUID().toString()),
                    "SESSION_NOT_FOUND",
                    false);
        }
        try (var phone = from(pairing, "8.8.4.4")) {
            var health = health(phone);
            assertThat(health.path("status").asString()).isEqualTo("healthy");
            assertThat(health.path("ready").asBoolean()).isTrue();
            phone.assertError(
                    "session_start",
                    Phone.resuming(java.util.UUID.randomUUID().toString()),
                    "SESSION_NOT_FOUND",
                    false);
        }
    }

    @Test
    void appliesAnAcknowledgmentToOneDevice() {
        try (var phone = publicPhone()) {
            acknowledge(phone);
        }
        assertRequiresAcknowledgment("file_list");
    }

    @Test
    void keepsAWarningThatIsNotAcknowledged() {
        try (var phone = publicPhone()) {
            phone.assertError("acknowledge_warning", acknowledgment(false), "BRIDGE_ERROR", true);
            assertThat(health(phone).path("ready").asBoolean(true)).isFalse();
        }
    }

    @Test
    void rejectsTheAcknowledgmentOfAnotherWarning() {
        try (var phone = publicPhone()) {
            phone.assertError(
                    "acknowledge_warning",
                    Map.of("warning_code", "OTHER", "acknowledged", true),
                    "BRIDGE_ERROR",
                    true);
        }
    }

    @Test
    void answersHeartbeatsBeforeTheAcknowledgment() {
        try (var phone = publicPhone()) {
            phone.client().sendText("{\"type\":\"heartbeat_ping\"}");
            phone.await("heartbeat_pong");
        }
    }

    @Test
    void allowsATrustedProxyToTerminateTls() {
        var pairing = ash.pair();
        var headers = Map.of("X-Forwarded-For", "10.1.2.3", "X-Forwarded-Proto", "https");
        try (var client = DeviceClient.connect(ash.webSocket("/ws"), "", headers)) {
            client.send("auth", "auth-1", auth(pairing.token(), "1.0.0"));
            assertThat(client.await("connection_ack").at("/payload/connection_mode").asString())
                    .isEqualTo("private_network");
        }
    }

    @Test
    void rejectsPublicDevicesIfTheGatewayIsNotPublic() {
        var closed =
                Map.of(
                        "ASH_GATEWAY", "1",
                        "ASH_GATEWAY_PORT", "0",
                        "ASH_TRUSTED_PROXIES", "127.0.0.1",
                        "ASH_GATEWAY_PUBLIC", "0");
        try (var other = AshServer.start(closed)) {
            var pairing = DeviceClient.pair(other);
            var headers = Map.of("X-Forwarded-For", "8.8.8.8", "X-Forwarded-Proto", "https");
            var url = URI.create(pairing.url());
            try (var client = DeviceClient.connect(url, pairing.fingerprint(), headers)) {
                var error = connectionError(client, "MISCONFIGURED").path("payload");
                assertThat(error.path("remediation").asString()).contains("ASH_GATEWAY_PUBLIC");
            }
            from(pairing, "10.0.0.1").close();
        }
    }

    /** Uses its own addresses, so that other tests are not rate limited. */
    @Test
    void limitsWrongTokensPerAddressButNotValidOnes() {
        var pairing = ash.pair();
        var codes = new java.util.ArrayList<String>();
        for (int i = 0; i < 13; i++) {
            codes.add(authenticate("9.9.9.9", pairing, "wrong"));
        }
        assertThat(codes).startsWith("AUTH_FAILED").endsWith("RATE_LIMITED");
        assertThat(authenticate("9.9.9.10", pairing, "wrong")).isEqualTo("AUTH_FAILED");
        assertThat(authenticate("9.9.9.9", pairing, pairing.token()))
                .as("valid token")
                .isEqualTo("in");
    }

    private static String authenticate(String address, Pairing pairing, String token) {
        var headers = Map.of("X-Forwarded-For", address, "X-Forwarded-Proto", "https");
        try (var client =
                DeviceClient.connect(URI.create(pairing.url()), pairing.fingerprint(), headers)) {
            var answer = Phone.envelope(client.request("auth", auth(token, "1.0.0")));
            if (answer.path("type").asString().equals("connection_ack")) {
                return "in";
            }
            client.awaitClose();
            return answer.at("/payload/code").asString();
        }
    }
}

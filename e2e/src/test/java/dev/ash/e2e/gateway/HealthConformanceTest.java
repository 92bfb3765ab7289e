package dev.ash.e2e.gateway;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ash.e2e.AshExtension;
import dev.ash.e2e.NeedsClaude;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.extension.RegisterExtension;
import tools.jackson.databind.JsonNode;

/** Tests health checks and heartbeats. */
@NeedsClaude
class HealthConformanceTest {
    @RegisterExtension
    static final AshExtension ash = AshExtension.claude().gateway().sampleProject();

    @TestFactory
    Stream<DynamicTest> sendsHealthStatusWithEveryField() {
        try (var phone = Phone.enter(ash.pair())) {
            return Checks.of("health_status", health(phone, Instant.now()))
                    .equal("status", "healthy")
                    .equal("connection_mode", "local_only")
                    .list("warnings")
                    .absent("warnings/0", "warning_details", "requires_acknowledgment")
                    .equal("checks/tls_valid", true)
                    .equal("checks/clock_sync", true)
                    .equal("checks/version_compatible", true)
                    .equal("checks/token_permissions", true)
                    .time("server_timestamp")
                    .whole("latency_ms")
                    .equal("client_nonce", "random-nonce-123")
                    .equal("ready", true)
                    .all();
        }
    }

    static JsonNode health(Phone phone, Instant at) {
        return phone.ask(
                "health_check",
                Map.of(
                        "timestamp",
                        at.toString(),
                        "client_nonce",
                        "random-nonce-123",
                        "client_capabilities",
                        List.of("health_v1", "acknowledgment_v1")),
                "health_status");
    }

    @Test
    void reportsAWrongClockAsNotReady() {
        try (var phone = Phone.enter(ash.pair())) {
            var health = health(phone, Instant.now().minus(Duration.ofHours(1)));
            assertThat(health.at("/checks/clock_sync").asBoolean(true)).isFalse();
            assertThat(health.path("ready").asBoolean(true)).isFalse();
            assertThat(health.path("latency_ms").asLong()).isZero();
        }
    }

    @Test
    void rejectsAcknowledgeWarningWithoutAWarning() {
        try (var phone = Phone.enter(ash.pair())) {
            phone.assertError(
                    "acknowledge_warning",
                    Map.of("warning_code", "DIRECT_PUBLIC_CONNECTION", "acknowledged", true),
                    "BRIDGE_ERROR",
                    true);
        }
    }

    @Test
    void answersHeartbeatPingWithAPong() {
        try (var phone = Phone.enter(ash.pair())) {
            phone.client()
                    .sendText(
                            "{\"type\":\"heartbeat_ping\",\"timestamp\":\"%s\"}"
                                    .formatted(Instant.now()));
            phone.await("heartbeat_pong");
        }
    }

    @Test
    void answersHeartbeatsBeforeAuth() {
        try (var client = DeviceClient.connect(ash.pair())) {
            client.sendText("{\"type\":\"heartbeat_ping\"}");
            Phone.envelope(client.await("heartbeat_pong"));
        }
    }
}

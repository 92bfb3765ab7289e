package dev.ash.e2e.gateway;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ash.e2e.AshExtension;
import dev.ash.e2e.NeedsClaude;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.extension.RegisterExtension;
import tools.jackson.databind.JsonNode;

/** Tests the authentication of devices and connection_ack. */
@NeedsClaude
class ConnectionConformanceTest {
    @RegisterExtension
    static final AshExtension ash = AshExtension.claude().gateway().sampleProject();

    @TestFactory
    Stream<DynamicTest> sendsConnectionAckWithEveryField() {
        var session = ash.session(AshExtension.AGENT);
        try (var phone = Phone.enter(ash.pair())) {
            var listed = phone.ack().path("active_sessions");
            assertThat(listed.size()).isEqualTo(1);
            var answered =
                    Checks.of("connection_ack", phone.ack())
                            .text("server_version", "connection_mode_description")
                            .equal("bridge_url", phone.pairing().url())
                            .equal("connection_mode", "local_only")
                            .equal("requires_health_verification", true)
                            .equal("purpose", "primary")
                            .list("supported_agents", "active_sessions")
                            .absent("device_token");
            var sessions =
                    Checks.of("connection_ack.active_sessions", listed.get(0))
                            .equal("session_id", session.id())
                            .equal("agent", AshExtension.AGENT)
                            .equal("working_directory", "/workspace")
                            .equal("status", "active")
                            .text("title");
            return Stream.concat(answered.all(), sessions.all());
        } finally {
            session.end();
        }
    }

    @Test
    void listsEnginesAndDeployedAgentsAsSupportedAgents() {
        try (var phone = Phone.enter(ash.pair())) {
            var names = new java.util.ArrayList<String>();
            phone.ack().path("supported_agents").forEach(name -> names.add(name.asString()));
            assertThat(names).contains("claude-code", AshExtension.AGENT);
        }
    }

    @Test
    void doesNotListEndedSessions() {
        ash.session(AshExtension.AGENT).end().expect(200);
        try (var phone = Phone.enter(ash.pair())) {
            assertThat(phone.ack().path("active_sessions").size()).isZero();
        }
    }

    @Test
    void repeatsTheIdOfAuthInConnectionAck() {
        var pairing = ash.pair();
        try (var client = DeviceClient.connect(pairing)) {
            client.send("auth", "auth-001", auth(pairing.token(), "1.0.0"));
            var ack = Phone.envelope(client.await("connection_ack"));
            assertThat(ack.path("id").asString()).isEqualTo("auth-001");
        }
    }

    @Test
    void acceptsThePairingTokenAgain() {
        var phone = Phone.enter(ash.pair());
        try (var again = phone.reconnect()) {
            assertThat(again.ack().path("server_version").isString()).isTrue();
        }
    }

    @Test
    void acceptsDevicesOnEveryPath() {
        for (var path : List.of("/", "/ws", "/api/v1/ws")) {
            var pairing = ash.pair();
            var url = java.net.URI.create(pairing.url()).resolve(path);
            try (var client = DeviceClient.connect(url, pairing.fingerprint(), Map.of())) {
                client.auth(pairing.token());
            }
        }
    }

    static Map<String, Object> auth(String token, String version) {
        return Map.of("token", token, "client_version", version, "platform", "ios");
    }

    /** Returns the connection error of a rejected device, whose socket must be closed. */
    static JsonNode connectionError(DeviceClient client, String code) {
        var error = Phone.envelope(client.await("connection_error"));
        assertThat(error.at("/payload/code").asString()).as("%s", error).isEqualTo(code);
        assertThat(error.at("/payload/message").asString()).isNotBlank();
        client.awaitClose();
        return error;
    }

    @Test
    void rejectsAWrongTokenAndClosesTheSocket() {
        try (var client = DeviceClient.connect(ash.pair())) {
            client.send("auth", "auth-7", auth("device-pairing-token-xxxxx", "1.0.0"));
            var error = connectionError(client, "AUTH_FAILED");
            assertThat(error.path("id").asString()).isEqualTo("auth-7");
        }
    }

    @Test
    void rejectsAuthWithoutAToken() {
        try (var client = DeviceClient.connect(ash.pair())) {
            client.send("auth", "auth-8", Map.of("client_version", "1.0.0", "platform", "ios"));
            connectionError(client, "AUTH_FAILED");
        }
    }

    @Test
    void rejectsAnyOtherFirstMessage() {
        try (var client = DeviceClient.connect(ash.pair())) {
            client.send("session_start", "req-1", Phone.starting("claude-code", null));
            var error = connectionError(client, "AUTH_FAILED");
            assertThat(error.path("id").asString()).isEqualTo("req-1");
        }
    }

    @Test
    void rejectsADeviceWithoutAuthAfterTenSeconds() {
        try (var client = DeviceClient.connect(ash.pair())) {
            long begun = System.nanoTime();
            connectionError(client, "AUTH_FAILED");
            assertThat(Duration.ofNanos(System.nanoTime() - begun))
                    .isBetween(Duration.ofSeconds(9), Duration.ofSeconds(25));
        }
    }

    @Test
    void rejectsAFutureVersionWithoutConsumingTheToken() {
        var pairing = ash.pair();
        try (var client = DeviceClient.connect(pairing)) {
            client.send("auth", "auth-9", auth(pairing.token(), "2.0.0"));
            var error = connectionError(client, "VERSION_INCOMPATIBLE");
            assertThat(error.path("id").asString()).isEqualTo("auth-9");
        }
        try (var client = DeviceClient.connect(pairing)) {
            client.auth(pairing.token());
        }
    }

    @Test
    void acceptsTheVersionOfThePublishedApp() {
        var pairing = ash.pair();
        try (var client = DeviceClient.connect(pairing)) {
            client.send("auth", "auth-1", auth(pairing.token(), "0.1.0"));
            client.await("connection_ack");
        }
    }

    @Test
    void rejectsASecondAuth() {
        try (var phone = Phone.enter(ash.pair())) {
            phone.assertError("auth", auth(phone.pairing().token(), "1.0.0"), "BRIDGE_ERROR", true);
        }
    }

    @Test
    void disconnectsARevokedDeviceWithinASecond() {
        // Up to three attempts, because the machine may be busy.
        assertThat(
                        Stream.generate(ConnectionConformanceTest::revokeAndAwaitDisconnect)
                                .limit(3)
                                .anyMatch(took -> took.compareTo(Duration.ofSeconds(1)) < 0))
                .isTrue();
    }

    /** Revokes a device and returns the time until its disconnect. */
    private static Duration revokeAndAwaitDisconnect() {
        var phone = Phone.enter(ash.pair());
        ash.api().delete("/api/devices/" + phone.pairing().id()).expect(204);
        long begun = System.nanoTime();
        connectionError(phone.client(), "AUTH_FAILED");
        var took = Duration.ofNanos(System.nanoTime() - begun);
        phone.close();
        try (var client = DeviceClient.connect(phone.pairing())) {
            client.send("auth", "auth-1", auth(phone.pairing().token(), "1.0.0"));
            connectionError(client, "AUTH_FAILED");
        }
        return took;
    }

    @Test
    void ignoresUnknownFields() {
        var payload = new HashMap<>(auth(ash.pair().token(), "1.0.0"));
        payload.put("shoe_size", 44);
        try (var client = DeviceClient.connect(ash.pair())) {
            client.send("auth", "auth-1", payload);
            client.await("connection_ack");
        }
    }
}

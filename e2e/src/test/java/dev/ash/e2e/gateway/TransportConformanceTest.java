package dev.ash.e2e.gateway;

import static dev.ash.e2e.gateway.ConnectionConformanceTest.auth;
import static dev.ash.e2e.gateway.ConnectionConformanceTest.connectionError;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.ash.e2e.AshExtension;
import dev.ash.e2e.NeedsClaude;
import java.net.URI;
import java.net.http.WebSocketHandshakeException;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Tests connections that are rejected for their transport, and the errors sent to them. */
@NeedsClaude
class TransportConformanceTest {
    @RegisterExtension
    static final AshExtension ash = AshExtension.claude().gateway().sampleProject();

    @TestFactory
    Stream<DynamicTest> rejectsPlainSocketsAndInvalidatesThePairingToken() {
        return Stream.of("/", "/ws", "/api/v1/ws")
                .map(
                        path ->
                                DynamicTest.dynamicTest(
                                        "ws:// at " + path, () -> assertInsecure(path)));
    }

    private static void assertInsecure(String path) {
        var pairing = ash.pair();
        try (var client = DeviceClient.connect(ash.webSocket(path), "", Map.of())) {
            client.send("auth", "auth-1", auth(pairing.token(), "1.0.0"));
            var frame = connectionError(client, "INSECURE_TRANSPORT");
            assertThat(frame.path("id").asString()).isEqualTo("auth-1");
            var error = frame.path("payload");
            assertThat(error.path("message").asString()).contains("wss://");
            assertThat(error.path("documentation_url").asString()).startsWith("https://");
            assertThat(error.path("remediation").asString()).contains("wss://");
        }
        try (var client = DeviceClient.connect(pairing)) {
            client.send("auth", "auth-2", auth(pairing.token(), "1.0.0"));
            connectionError(client, "AUTH_FAILED");
        }
    }

    @Test
    void rejectsAPlainSocketThatSendsNothing() {
        try (var client = DeviceClient.connect(ash.webSocket("/"), "", Map.of())) {
            var error = Phone.envelope(client.await("connection_error"));
            assertThat(error.at("/payload/code").asString()).isEqualTo("INSECURE_TRANSPORT");
        }
    }

    @Test
    void keepsTheTokenOfAPairedDeviceAfterAPlainAttempt() {
        var phone = Phone.enter(ash.pair());
        try (var client = DeviceClient.connect(ash.webSocket("/"), "", Map.of())) {
            client.send("auth", "auth-1", auth(phone.pairing().token(), "1.0.0"));
            connectionError(client, "INSECURE_TRANSPORT");
        }
        phone.reconnect().close();
    }

    @Test
    void reportsForwardedHeadersOfAnUntrustedProxyAsMisconfigured() {
        var pairing = ash.pair();
        var url = URI.create(pairing.url());
        for (var header :
                Map.of("X-Forwarded-For", "10.0.0.1", "X-Forwarded-Proto", "https").entrySet()) {
            var headers = Map.of(header.getKey(), header.getValue());
            try (var client = DeviceClient.connect(url, pairing.fingerprint(), headers)) {
                var error = connectionError(client, "MISCONFIGURED").path("payload");
                assertThat(error.path("remediation").asString()).contains("ASH_TRUSTED_PROXIES");
                assertThat(error.path("documentation_url").asString()).isNotBlank();
            }
        }
    }

    @Test
    void reportsAPlainSocketOfAnUntrustedProxyAsInsecure() {
        var headers = Map.of("X-Forwarded-For", "127.0.0.1", "X-Forwarded-Proto", "https");
        try (var client = DeviceClient.connect(ash.webSocket("/"), "", headers)) {
            client.sendText("{}");
            connectionError(client, "INSECURE_TRANSPORT");
        }
    }

    @Test
    void closesASilentPlainSocketAfterOneError() {
        try (var client = DeviceClient.connect(ash.webSocket("/"), "", Map.of())) {
            connectionError(client, "INSECURE_TRANSPORT");
            assertThat(client.rest()).isEmpty();
        }
    }

    @TestFactory
    Stream<DynamicTest> rejectsForeignOrigins() {
        return Stream.of("https://evil.example", "null", "https://localhost.evil.example")
                .map(
                        origin ->
                                DynamicTest.dynamicTest(
                                        "Origin " + origin,
                                        () ->
                                                assertThatThrownBy(() -> connectFrom(origin))
                                                        .cause()
                                                        .isInstanceOfSatisfying(
                                                                WebSocketHandshakeException.class,
                                                                e ->
                                                                        assertThat(
                                                                                        e.getResponse()
                                                                                                .statusCode())
                                                                                .isEqualTo(403))));
    }

    private static void connectFrom(String origin) {
        var pairing = ash.pair();
        DeviceClient.connect(
                        URI.create(pairing.url()), pairing.fingerprint(), Map.of("Origin", origin))
                .close();
    }

    @TestFactory
    Stream<DynamicTest> rejectsRequestsWithoutAnUpgrade() {
        var pairing = ash.pair();
        return Stream.of("/", "/ws", "/api/v1/ws")
                .map(
                        path ->
                                DynamicTest.dynamicTest(
                                        "GET " + path,
                                        () ->
                                                assertThat(DeviceClient.get(pairing, path))
                                                        .isEqualTo(400)));
    }
}

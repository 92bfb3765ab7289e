package dev.ash.e2e.gateway;

import static dev.ash.e2e.gateway.ConnectionConformanceTest.auth;
import static dev.ash.e2e.gateway.ConnectionConformanceTest.connectionError;
import static org.assertj.core.api.Assertions.assertThat;

import dev.ash.e2e.ApiResponse;
import dev.ash.e2e.AshExtension;
import dev.ash.e2e.AshServer;
import dev.ash.e2e.FreePort;
import dev.ash.e2e.TestDirectory;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;

/** Tests the address of the gateway, changes of it, and requests without TLS. */
class GatewayAddressTest {
    @RegisterExtension
    static final AshExtension ash =
            AshExtension.demo()
                    .gateway()
                    .with("ASH_GATEWAY_PORT", Integer.toString(FreePort.find()));

    @BeforeAll
    static void start() {
        gateway(ash.server()); // the gateway listens shortly after the API
    }

    @AfterEach
    void hide() {
        move("127.0.0.1", null).expect(200);
    }

    private static JsonNode gateway(AshServer of) {
        return of.api().get("/api/gateway").expect(200).json().path("gateway");
    }

    private static ApiResponse move(String host, Integer port) {
        return move(ash.server(), host, port);
    }

    private static ApiResponse move(AshServer of, String host, Integer port) {
        var body = new HashMap<String, Object>();
        body.put("host", host);
        if (port != null) {
            body.put("port", port);
        }
        return of.api().patch("/api/gateway", body);
    }

    private static JsonNode health(AshServer of) {
        return of.api().get("/health").expect(200).json().path("gateway");
    }

    @Test
    void showsTheAddress() {
        var gateway = gateway(ash.server());
        assertThat(gateway.path("status").asString()).isEqualTo("listening");
        assertThat(gateway.path("host").asString()).isEqualTo("127.0.0.1");
        assertThat(gateway.path("reachable").asBoolean(true)).isFalse();
        assertThat(gateway.path("url").asString())
                .isEqualTo("wss://127.0.0.1:" + gateway.path("port").asInt());
        assertThat(health(ash.server()).path("status").asString()).isEqualTo("listening");
        assertThat(health(ash.server()).path("url")).isEqualTo(gateway.path("url"));
        assertThat(health(ash.server()).path("reachable").asBoolean(true)).isFalse();
    }

    @Test
    void keepsConnectionsWhenExposedAndClosesThemWhenHidden() throws Exception {
        var port = gateway(ash.server()).path("port").asInt();
        var file = ash.data().resolve("config.json");
        Files.writeString(file, "{}"); // other tests store a port
        try (var before = Phone.enter(ash.pair())) {
            var exposed = move("0.0.0.0", null).expect(200).json().path("gateway");
            assertThat(exposed.path("host").asString()).isEqualTo("0.0.0.0");
            assertThat(exposed.path("port").asInt()).isEqualTo(port);
            assertThat(exposed.path("reachable").asBoolean()).isTrue();
            assertThat(exposed.has("note")).as("%s", exposed).isFalse();
            assertThat(health(ash.server()).path("reachable").asBoolean()).isTrue();
            before.ask("health_check", Map.of(), "health_status");

            var pairing = ash.pair();
            var local = URI.create("wss://127.0.0.1:" + port);
            try (var client = DeviceClient.connect(local, pairing.fingerprint(), Map.of())) {
                var phone = Phone.of(client, pairing);
                assertThat(Files.readString(file))
                        .contains("\"ASH_GATEWAY_HOST\":\"0.0.0.0\"")
                        .doesNotContain("ASH_GATEWAY_PORT");

                move("localhost", null).expect(200);
                assertThat(phone.client().awaitClose()).isNotZero();
                assertThat(before.client().awaitClose()).isNotZero();
            }
            assertThat(gateway(ash.server()).path("host").asString()).isEqualTo("127.0.0.1");
            try (var again = DeviceClient.connect(local, pairing.fingerprint(), Map.of())) {
                again.auth(pairing.token());
            }
        }
    }

    @Test
    void changesPortsAndBack() throws Exception {
        var before = gateway(ash.server()).path("port").asInt();
        var free = FreePort.find();
        var moved = move("127.0.0.1", free).expect(200).json().path("gateway");
        assertThat(moved.path("port").asInt()).isEqualTo(free);
        DeviceClient.enter(ash.pair()).close();
        move("127.0.0.1", before).expect(200);
        DeviceClient.enter(ash.pair()).close();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"gateway.example", "", "203.0.113.7", "1.2.3.4.5", "0.0.0.0:80", "fe80::zz"})
    void rejectsAnAddressOfAnotherMachine(String host) {
        var before = gateway(ash.server());
        try (var phone = Phone.enter(ash.pair())) {
            move(host, null).refused(400, "VALIDATION_FAILED", "an IP address of this machine");
            assertThat(gateway(ash.server())).isEqualTo(before);
            phone.ask("health_check", Map.of(), "health_status");
        }
        DeviceClient.enter(ash.pair()).close();
    }

    @ParameterizedTest
    @ValueSource(ints = {-1, 0, 65536, Integer.MAX_VALUE})
    void rejectsAnInvalidPort(int port) {
        move("127.0.0.1", port).refused(400, "VALIDATION_FAILED", "port");
    }

    @Test
    void rejectsAPortOfAnotherProgram() throws Exception {
        var before = gateway(ash.server());
        try (var other = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            move("127.0.0.1", other.getLocalPort())
                    .refused(400, "VALIDATION_FAILED", "is in use by another program");
            assertThat(gateway(ash.server())).isEqualTo(before);
        }
        DeviceClient.enter(ash.pair()).close();
    }

    @Test
    void reportsAPortConflictAndResolvesItWithoutARestart() throws Exception {
        try (var other = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            var port = other.getLocalPort();
            var environment =
                    Map.of("ASH_GATEWAY", "1", "ASH_GATEWAY_PORT", Integer.toString(port));
            try (var conflicting = AshServer.start(environment, TestDirectory.create())) {
                var failed = gateway(conflicting);
                assertThat(failed.path("status").asString()).isEqualTo("failed");
                assertThat(failed.path("problem").asString())
                        .contains("Port " + port, "in use", "ash gateway expose");
                assertThat(health(conflicting).path("problem")).isEqualTo(failed.path("problem"));
                assertThat(health(conflicting).has("url")).isFalse();
                assertThat(conflicting.api().post("/api/devices", Map.of()).text())
                        .contains("No device can connect", "in use");

                var solved = move(conflicting, "127.0.0.1", FreePort.find()).expect(200).json();
                assertThat(solved.at("/gateway/status").asString()).isEqualTo("listening");
                assertThat(solved.at("/gateway/note").asString())
                        .as("the environment overrides the file")
                        .contains("ASH_GATEWAY_PORT");
                DeviceClient.enter(DeviceClient.pair(conflicting)).close();
            }
        }
    }

    @Test
    void keepsTheAddressAndOtherSettingsAcrossRestarts() throws Exception {
        var directory = TestDirectory.create();
        var first = AshServer.start(Map.of("ASH_GATEWAY", "1"), directory);
        try {
            var file = first.data().resolve("config.json");
            Files.writeString(file, "{\"ASH_GATEWAY_PORT\": 0, \"ASH_PREWARM\": \"0\"}");
            move(first, "0.0.0.0", FreePort.find()).expect(200);
            assertThat(Files.readString(file))
                    .contains("\"ASH_PREWARM\":\"0\"", "\"ASH_GATEWAY_HOST\":\"0.0.0.0\"");
            var moved = gateway(first);
            first.stop();
            var second = first.startAgain();
            try {
                assertThat(gateway(second)).isEqualTo(moved);
            } finally {
                second.close();
            }
        } finally {
            first.close();
        }
    }

    @Test
    void reportsASocketWithoutTlsAsInsecureTransport() throws Exception {
        var pairing = ash.pair();
        var plain = URI.create(pairing.url().replaceFirst("^wss", "ws") + "/ws");
        String page;
        try (var client = DeviceClient.connect(plain, "", Map.of())) {
            client.send("auth", "auth-001", auth(pairing.token(), "1.0.0"));
            var error = connectionError(client, "INSECURE_TRANSPORT");
            assertThat(error.path("id").asString()).isEqualTo("auth-001");
            assertThat(error.at("/payload/remediation").asString()).contains("wss://");
            page = error.at("/payload/documentation_url").asString();
        }
        try (var http =
                HttpClient.newBuilder()
                        .sslContext(DeviceClient.trusting(pairing.fingerprint()))
                        .build()) {
            var answer =
                    http.send(
                            HttpRequest.newBuilder(URI.create(page)).build(),
                            HttpResponse.BodyHandlers.ofString());
            assertThat(answer.statusCode()).isEqualTo(200);
            assertThat(answer.body()).contains("INSECURE_TRANSPORT", "wss://");
        }
        try (var client = DeviceClient.connect(pairing)) {
            client.send("auth", "auth-002", auth(pairing.token(), "1.0.0"));
            assertThat(connectionError(client, "AUTH_FAILED").path("id").asString())
                    .as("the token was sent in clear text")
                    .isEqualTo("auth-002");
        }
    }

    @Test
    void explainsThatRequestsRequireTls() throws Exception {
        var port = gateway(ash.server()).path("port").asInt();
        try (var http = HttpClient.newHttpClient()) {
            var answer =
                    http.send(
                            HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + "/ws"))
                                    .build(),
                            HttpResponse.BodyHandlers.ofString());
            assertThat(answer.statusCode()).isEqualTo(400);
            assertThat(answer.body()).contains("This port requires TLS");
        }
    }
}

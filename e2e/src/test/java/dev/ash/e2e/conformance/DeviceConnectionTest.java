package dev.ash.e2e.conformance;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ash.e2e.AshExtension;
import dev.ash.e2e.conformance.DeviceGateway.Pairing;
import java.time.Instant;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import tools.jackson.databind.JsonNode;

/** Document 004: message format, {@code auth}, {@code connection_ack} and connection errors. */
class DeviceConnectionTest {
    private static final String TITLE = "Bridge startup validation";
    private static final String PING =
            "{ \"type\": \"heartbeat_ping\", \"timestamp\": \"2026-03-16T10:32:00Z\" }";

    @RegisterExtension static final AshExtension ash = DeviceGateway.extension();

    private static DeviceGateway gateway;
    private static Pairing pairing;
    private static DeviceSocket device;
    private static String session;
    private static JsonNode ack;

    @BeforeAll
    static void start() {
        gateway = DeviceGateway.of(ash);
        try (var first = gateway.connect()) {
            session = gateway.startSession(first);
            first.send(DeviceGateway.message(session, TITLE));
            first.await("stream_end", session);
        }
        pairing = gateway.pair("Pixel 9");
        device = DeviceSocket.open(pairing.url());
        ack = device.ask(pairing.auth());
    }

    @AfterAll
    static void stop() {
        device.close();
    }

    @Statement(id = "004-001", says = "No login: a device is paired by the content of the QR code")
    @Test
    void pairsADeviceByUrlAndToken() {
        var paired = gateway.pair();
        assertThat(paired.url()).startsWith("wss://");
        try (var socket = DeviceSocket.open(paired.url())) {
            assertThat(socket.ask(paired.auth()).path("type").asString())
                    .isEqualTo("connection_ack");
        }
    }

    @Statement(id = "004-002", says = "All messages are JSON objects with a type field")
    @Test
    void sendsOnlyObjectsWithAType() {
        try (var socket = gateway.connect()) {
            var id = gateway.startSession(socket);
            socket.send(DeviceGateway.message(id, TITLE));
            for (var frame : socket.until(DeviceSocket.is("stream_end", id))) {
                assertThat(frame.isObject()).as("%s", frame).isTrue();
                assertThat(frame.path("type").asString("")).as("%s", frame).matches("[a-z_]+");
            }
        }
    }

    @Statement(id = "004-003", says = "A message without a type is an error")
    @Test
    void rejectsAMessageWithoutAType() {
        var error = device.ask("{ \"id\": \"unique-msg-id\", \"payload\": {} }");
        assertThat(error.path("type").asString()).isEqualTo("error");
        assertThat(error.at("/payload/code").asString()).isEqualTo("BRIDGE_ERROR");
    }

    @Statement(id = "004-004", says = "The id of a message is optional")
    @Test
    void answersARequestWithoutAnIdWithoutAnId() {
        try (var socket = gateway.connect()) {
            DeviceGateway.join(socket, session);
            socket.send(
                    "{ \"type\": \"git_status_request\", \"payload\": { \"session_id\": \"%s\" }}"
                            .formatted(session));
            assertThat(socket.await("git_status_response").has("id")).isFalse();
        }
    }

    @Statement(id = "004-005", says = "The id correlates a response with its request")
    @Test
    void repeatsTheIdOfARequest() {
        var answer =
                device.ask(
                        """
                        { "type": "git_status_request", "id": "unique-msg-id", \
                        "payload": { "session_id": "%s" }}"""
                                .formatted(session));
        assertThat(answer.path("id").asString()).isEqualTo("unique-msg-id");
    }

    @Statement(id = "004-006", says = "An error repeats the id of its request")
    @Test
    void repeatsTheIdOfARequestInAnError() {
        var error = device.ask("{ \"type\": \"message_type\", \"id\": \"unique-msg-id\" }");
        assertThat(error.path("type").asString()).isEqualTo("error");
    }

    @Statement(id = "004-007", says = "timestamp is an ISO 8601 time")
    @Test
    void sendsAnIsoTimestamp() {
        var sent = Instant.parse(ack.path("timestamp").asString());
        assertThat(sent).isBetween(Instant.now().minusSeconds(300), Instant.now());
    }

    @Statement(id = "004-008", says = "A client may send a timestamp with any message")
    @Test
    void acceptsATimestampWithARequest() {
        var answer =
                device.ask(
                        """
                        { "type": "git_status_request", "id": "unique-msg-id", \
                        "timestamp": "2026-03-16T10:32:00Z", "payload": { "session_id": "%s" }}"""
                                .formatted(session));
        assertThat(answer.path("type").asString()).isEqualTo("git_status_response");
    }

    @Statement(id = "004-009", says = "payload is an object")
    @Test
    void rejectsAPayloadThatIsNoObject() {
        assertThat(ack.path("payload").isObject()).isTrue();
        var error = device.ask("{ \"type\": \"message\", \"id\": \"m-1\", \"payload\": 7 }");
        assertThat(error.at("/payload/code").asString()).isEqualTo("BRIDGE_ERROR");
    }

    @Statement(id = "004-010", says = "auth is sent immediately after the connection opens")
    @Test
    void rejectsAnyOtherFirstMessage() {
        try (var socket = DeviceSocket.open(pairing.url())) {
            var error = socket.ask(gateway.sessionStart());
            assertThat(error.path("type").asString()).isEqualTo("connection_error");
            assertThat(error.at("/payload/code").asString()).isEqualTo("AUTH_FAILED");
        }
    }

    @Statement(id = "004-011", says = "auth: token is the device pairing token")
    @Test
    void requiresATokenInAuth() {
        try (var socket = DeviceSocket.open(pairing.url())) {
            var error =
                    socket.ask(
                            """
                            { "type": "auth", "id": "auth-001", \
                            "payload": { "client_version": "1.0.0", "platform": "ios" }}""");
            assertThat(error.at("/payload/code").asString()).isEqualTo("AUTH_FAILED");
        }
    }

    @Statement(id = "004-013", says = "auth: client_version 1.0.0 is supported")
    @Test
    void supportsTheClientVersionOfTheExample() {
        assertThat(DeviceGateway.AUTH).contains("\"client_version\": \"1.0.0\"");
        assertThat(ack.path("type").asString()).isEqualTo("connection_ack");
    }

    @Statement(id = "004-014", says = "auth: platform is that of the device")
    @Test
    void listsTheDeviceWithItsPlatform() {
        var devices = gateway.server().api().get("/api/devices").expect(200).at("/devices");
        var listed =
                devices.valueStream()
                        .filter(each -> each.path("id").asString().equals(pairing.id()))
                        .toList();
        assertThat(listed).hasSize(1);
        assertThat(listed.getFirst().path("platform").asString()).isEqualTo("ios");
    }

    @Statement(id = "004-015", says = "connection_ack confirms auth, with its id")
    @Test
    void acknowledgesAuthWithItsId() {
        assertThat(ack.path("type").asString()).isEqualTo("connection_ack");
        assertThat(ack.path("id").asString()).isEqualTo("auth-001");
    }

    @Statement(id = "004-016", says = "connection_ack: server_version")
    @Test
    void sendsTheServerVersion() {
        assertThat(ack.at("/payload/server_version").asString()).matches("\\d+\\.\\d+\\.\\d+.*");
    }

    @Statement(id = "004-017", says = "connection_ack: supported_agents lists claude-code")
    @Test
    void supportsClaudeCode() {
        assertThat(supportedAgents()).contains("claude-code");
    }

    private static List<String> supportedAgents() {
        return ack.at("/payload/supported_agents").valueStream().map(JsonNode::asString).toList();
    }

    @Statement(id = "004-018", says = "connection_ack: supported_agents lists opencode")
    @Test
    void supportsOpencode() {
        assertSupported("opencode");
    }

    @Statement(id = "004-019", says = "connection_ack: supported_agents lists aider")
    @Test
    void supportsAider() {
        assertSupported("aider");
    }

    @Statement(id = "004-020", says = "connection_ack: supported_agents lists goose")
    @Test
    void supportsGoose() {
        assertSupported("goose");
    }

    /** The program of the agent is a stand-in; other tests run the real ones. */
    private static void assertSupported(String name) {
        assertThat(supportedAgents()).contains(name);
        var start = DeviceGateway.of(ash, "project-of-" + name).sessionStart();
        var ready = device.ask(start.replace("claude-code", name));
        assertThat(ready.path("type").asString()).as("%s", ready).isEqualTo("session_ready");
        assertThat(ready.at("/payload/agent").asString()).isEqualTo(name);
    }

    @Statement(id = "004-021", says = "connection_ack: connection_mode is the detected mode")
    @Test
    void sendsTheConnectionMode() {
        assertThat(ack.at("/payload/connection_mode").asString()).isEqualTo("local_only");
    }

    @Statement(id = "004-022", says = "connection_ack: connection_mode_description explains it")
    @Test
    void describesTheConnectionMode() {
        assertThat(ack.at("/payload/connection_mode_description").asString()).contains("127.0.0.1");
    }

    @Statement(id = "004-023", says = "connection_ack: bridge_url is the wss:// address")
    @Test
    void sendsItsAddress() {
        assertThat(ack.at("/payload/bridge_url").asString())
                .startsWith("wss://")
                .isEqualTo(pairing.url());
    }

    @Statement(id = "004-024", says = "connection_ack: requires_health_verification is true")
    @Test
    void requiresHealthVerification() {
        assertThat(ack.at("/payload/requires_health_verification").isBoolean()).isTrue();
        assertThat(ack.at("/payload/requires_health_verification").asBoolean()).isTrue();
    }

    private static JsonNode listedSession() {
        var sessions = ack.at("/payload/active_sessions");
        assertThat(sessions.isArray()).isTrue();
        assertThat(sessions.size()).as("%s", sessions).isEqualTo(1);
        return sessions.get(0);
    }

    @Statement(id = "004-025", says = "connection_ack: active_sessions have a session_id")
    @Test
    void listsTheSessionsId() {
        assertThat(listedSession().path("session_id").asString()).isEqualTo(session);
    }

    @Statement(id = "004-026", says = "connection_ack: active_sessions have an agent")
    @Test
    void listsTheSessionsAgent() {
        assertThat(listedSession().path("agent").asString()).isEqualTo("claude-code");
    }

    @Statement(id = "004-027", says = "connection_ack: active_sessions have a title")
    @Test
    void listsTheSessionsTitle() {
        assertThat(listedSession().path("title").asString()).isEqualTo(TITLE);
    }

    private static JsonNode rejected(String url, String auth) {
        try (var socket = DeviceSocket.open(url)) {
            var error = socket.ask(auth);
            assertThat(error.path("type").asString()).as("%s", error).isEqualTo("connection_error");
            socket.awaitClose();
            return error;
        }
    }

    @Statement(id = "004-070", says = "connection_error: an invalid token is AUTH_FAILED")
    @Test
    void rejectsTheTokenOfTheExample() {
        var error = rejected(pairing.url(), DeviceGateway.AUTH);
        assertThat(error.path("id").asString()).isEqualTo("auth-001");
        assertThat(error.at("/payload/code").asString()).isEqualTo("AUTH_FAILED");
    }

    @Statement(id = "004-071", says = "connection_error: message is “Invalid or expired token”")
    @Test
    void reportsAnInvalidOrExpiredToken() {
        var error = rejected(pairing.url(), DeviceGateway.AUTH);
        assertThat(error.at("/payload/message").asString()).isEqualTo("Invalid or expired token");
    }

    @Statement(id = "004-072", says = "AUTH_FAILED: the token of a device that was removed")
    @Test
    void rejectsTheTokenOfARevokedDevice() {
        var revoked = gateway.pair();
        revoked.connect().close();
        gateway.server().api().delete("/api/devices/" + revoked.id()).expect(204);
        var error = rejected(revoked.url(), revoked.auth());
        assertThat(error.at("/payload/code").asString()).isEqualTo("AUTH_FAILED");
    }

    /** Sends the document's example to the gateway's own port. */
    private static JsonNode rejectInsecure() {
        var token = gateway.pair();
        return rejected(token.url().replace("wss://", "ws://"), token.auth());
    }

    @Statement(id = "004-073", says = "INSECURE_TRANSPORT: ws:// instead of wss://, with the id")
    @Test
    void rejectsPlainWebSockets() {
        var error = rejectInsecure();
        assertThat(error.path("id").asString()).isEqualTo("auth-001");
        assertThat(error.at("/payload/code").asString()).isEqualTo("INSECURE_TRANSPORT");
    }

    @Statement(id = "004-074", says = "INSECURE_TRANSPORT: the message names wss://")
    @Test
    void reportsThatWssIsRequired() {
        assertThat(rejectInsecure().at("/payload/message").asString())
                .contains("requires wss:// (WebSocket Secure)");
    }

    @Statement(id = "004-075", says = "INSECURE_TRANSPORT: documentation_url is an https URL")
    @Test
    void linksTheDocumentation() {
        assertThat(rejectInsecure().at("/payload/documentation_url").asString())
                .startsWith("https://");
    }

    @Statement(id = "004-076", says = "INSECURE_TRANSPORT: remediation says to use wss:// URLs")
    @Test
    void explainsHowToConnect() {
        assertThat(rejectInsecure().at("/payload/remediation").asString()).contains("wss://");
    }

    @Statement(id = "004-077", says = "MISCONFIGURED: security settings prevent the connection")
    @Test
    void rejectsForwardedHeadersOfAnUnknownProxy() {
        var headers = Map.of("X-Forwarded-For", "10.0.0.1", "X-Forwarded-Proto", "https");
        try (var socket = DeviceSocket.open(pairing.url(), "127.0.0.1", headers)) {
            var error = socket.await("connection_error");
            assertThat(error.at("/payload/code").asString()).isEqualTo("MISCONFIGURED");
            assertThat(error.at("/payload/remediation").asString()).contains("ASH_TRUSTED_PROXIES");
        }
    }

    @Statement(id = "004-078", says = "VERSION_INCOMPATIBLE: client and server versions differ")
    @Test
    void rejectsAnotherProtocolVersion() {
        var error = rejected(pairing.url(), pairing.auth().replace("1.0.0", "2.0.0"));
        assertThat(error.path("id").asString()).isEqualTo("auth-001");
        assertThat(error.at("/payload/code").asString()).isEqualTo("VERSION_INCOMPATIBLE");
    }

    @Statement(id = "004-079", says = "RATE_LIMITED: too many connection attempts")
    @Test
    void limitsConnectionAttempts() {
        var codes = new HashSet<String>();
        for (int i = 0; i < 15 && !codes.contains("RATE_LIMITED"); i++) {
            try (var socket = DeviceSocket.open(pairing.url(), "127.0.0.9", Map.of())) {
                codes.add(socket.ask(DeviceGateway.AUTH).at("/payload/code").asString());
            }
        }
        assertThat(codes).containsExactlyInAnyOrder("AUTH_FAILED", "RATE_LIMITED");
    }

    @Statement(id = "004-080", says = "The server answers heartbeat_ping with heartbeat_pong")
    @Test
    void answersAPingWithAPong() {
        device.send(PING);
        assertThat(device.await("heartbeat_pong").path("type").asString())
                .isEqualTo("heartbeat_pong");
    }

    @Statement(id = "004-081", says = "heartbeat_pong has a timestamp")
    @Test
    void sendsATimestampWithAPong() {
        device.send(PING);
        assertThat(Instant.parse(device.await("heartbeat_pong").path("timestamp").asString()))
                .isAfter(Instant.parse("2026-03-16T10:32:00Z"));
    }

    @Statement(
            id = "004-082",
            says = "A pong arrives within 10 seconds, also while the agent works")
    @Test
    void answersAPingDuringATurn() {
        try (var socket = gateway.connect()) {
            var id = gateway.startSession(socket);
            var file = gateway.project().path().resolve("go-on");
            socket.send(DeviceGateway.message(id, "WAIT " + file));
            long sent = System.nanoTime();
            socket.send(PING);
            socket.await("heartbeat_pong");
            assertThat(System.nanoTime() - sent).isLessThan(10_000_000_000L);
            gateway.project().write("go-on", "");
            socket.await("stream_end", id);
            gateway.project().reset();
        }
    }

    @Statement(id = "004-083", says = "The heartbeat interval is the client's choice")
    @Test
    void answersEveryPing() {
        try (var socket = gateway.connect()) {
            for (int i = 0; i < 3; i++) {
                socket.send(PING);
            }
            for (int i = 0; i < 3; i++) {
                socket.await("heartbeat_pong");
            }
        }
    }
}

package dev.ash.e2e.gateway;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.ash.e2e.AshExtension;
import dev.ash.e2e.Store;
import dev.ash.e2e.gateway.DeviceClient.Pairing;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.SocketTimeoutException;
import java.net.URI;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.zip.Deflater;
import java.util.zip.DeflaterOutputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import tools.jackson.databind.JsonNode;

/** Tests the limits of the gateway, token expiry and revocation, and the scopes of devices. */
class DeviceLimitsTest {
    private static final int TOO_LARGE = 1009;
    static final int MAX_UNAUTHENTICATED = 64 * 1024;

    @RegisterExtension
    static final AshExtension ash =
            AshExtension.demo()
                    .gateway()
                    .with("ASH_TRUSTED_PROXIES", "127.0.0.1")
                    .with("ASH_GATEWAY_MAX_CONNECTIONS_PER_ADDRESS", "4")
                    .with("ASH_GATEWAY_MAX_UNAUTHENTICATED_PER_ADDRESS", "2")
                    .with("ASH_GATEWAY_MAX_CONNECTIONS_PER_DEVICE", "2");

    /** Uses an address of its own for each test, because limits count by address. */
    private static String headers(String address) {
        return "X-Forwarded-For: %s\r\nX-Forwarded-Proto: https\r\n".formatted(address);
    }

    private static DeviceClient from(Pairing pairing, String address) {
        return DeviceClient.connect(
                URI.create(pairing.url()),
                pairing.fingerprint(),
                Map.of("X-Forwarded-For", address, "X-Forwarded-Proto", "https"));
    }

    private static Pairing pair(Map<String, ?> request) {
        var pairing = ash.api().post("/api/devices", request).expect(201).at("/pairing");
        return new Pairing(
                pairing.path("deviceId").asString(),
                pairing.path("url").asString(),
                pairing.path("token").asString(),
                pairing.path("fingerprint").asString());
    }

    private static byte[] heartbeat(int size) {
        var text = "{\"type\":\"heartbeat_ping\",\"id\":\"h\",\"padding\":\"\"}";
        return text.replace("\"\"", "\"" + "x".repeat(size - text.length()) + "\"").getBytes(UTF_8);
    }

    /** Returns the received text, or the close status. */
    private static Object answer(RawSocket socket) throws IOException {
        var message = socket.read();
        return message.opcode() == RawSocket.CLOSE ? message.status() : message.text();
    }

    /** Checks that the server rejects the bytes, of which it need not read all. */
    static void assertTooLarge(RawSocket socket, byte[] bytes) throws IOException {
        try {
            socket.write(bytes);
            assertThat(answer(socket)).isEqualTo(TOO_LARGE);
        } catch (SocketTimeoutException e) {
            throw e;
        } catch (IOException e) {
            // TCP resets a connection that is closed with unread bytes, before the status is read.
        }
    }

    @Test
    void limitsMessagesBeforeAuthTo64KiB() throws IOException {
        var pairing = ash.pair();
        try (var socket = RawSocket.connect(pairing, headers("10.1.0.1"))) {
            socket.send(RawSocket.FIN | RawSocket.TEXT, heartbeat(MAX_UNAUTHENTICATED));
            assertThat(answer(socket)).asString().contains("heartbeat_pong");
            assertTooLarge(
                    socket,
                    RawSocket.frame(
                            RawSocket.FIN | RawSocket.TEXT, heartbeat(MAX_UNAUTHENTICATED + 1)));
        }
    }

    @Test
    void limitsTheTotalSizeOfFragments() throws IOException {
        var all = new ByteArrayOutputStream();
        all.writeBytes(RawSocket.frame(RawSocket.TEXT, new byte[] {'{'}));
        for (int i = 0; i < 4; i++) {
            var part = "x".repeat(20_000).getBytes(UTF_8);
            all.writeBytes(RawSocket.frame(RawSocket.CONTINUATION, part));
        }
        try (var socket = RawSocket.connect(ash.pair(), headers("10.1.0.2"))) {
            assertTooLarge(socket, all.toByteArray());
        }
    }

    @Test
    void limitsTheUncompressedSize() throws IOException {
        var packed = new ByteArrayOutputStream();
        try (var deflater = new DeflaterOutputStream(packed, new Deflater(9, true), 512, true)) {
            deflater.write(heartbeat(3_000_000));
            deflater.flush();
        }
        var extension = "Sec-WebSocket-Extensions: permessage-deflate\r\n";
        try (var socket = RawSocket.connect(ash.pair(), headers("10.1.0.3") + extension)) {
            assertThat(packed.size()).isLessThan(MAX_UNAUTHENTICATED);
            socket.send(
                    RawSocket.FIN | RawSocket.COMPRESSED | RawSocket.TEXT, packed.toByteArray());
            assertThat(answer(socket)).isEqualTo(TOO_LARGE);
        }
    }

    @Test
    void acceptsLargeMessagesRightAfterAuth() throws IOException {
        var pairing = ash.pair();
        try (var socket = RawSocket.connect(pairing, headers("10.1.0.4"))) {
            var auth =
                    "{\"type\":\"auth\",\"id\":\"a\",\"payload\":{\"token\":\"%s\",\"client_version\":\"1.0.0\"}}"
                            .formatted(pairing.token());
            var both = new ByteArrayOutputStream();
            both.writeBytes(RawSocket.frame(RawSocket.FIN | RawSocket.TEXT, auth.getBytes(UTF_8)));
            both.writeBytes(RawSocket.frame(RawSocket.FIN | RawSocket.TEXT, heartbeat(3_000_000)));
            socket.write(both.toByteArray());
            assertThat(answer(socket)).asString().contains("connection_ack");
            assertThat(answer(socket)).asString().contains("heartbeat_pong");
        }
    }

    @Test
    void limitsConnectionsPerAddress() {
        var pairing = ash.pair();
        var open = new ArrayList<DeviceClient>();
        try {
            open.add(from(pairing, "10.2.0.1"));
            open.add(from(pairing, "10.2.0.1"));
            assertThat(rejection(pairing, "10.2.0.1")).contains("unauthenticated connections");
            open.add(from(pairing, "10.2.0.2"));
            open.getFirst().auth(pairing.token());
            open.get(1).auth(ash.pair().token());
            open.add(authenticated("10.2.0.1"));
            open.add(authenticated("10.2.0.1"));
            assertThat(rejection(pairing, "10.2.0.1"))
                    .contains("ASH_GATEWAY_MAX_CONNECTIONS_PER_ADDRESS");
        } finally {
            open.forEach(DeviceClient::close);
        }
    }

    /**
     * Connects from an address that is not a trusted proxy, and sends nothing. Connections are
     * counted on several threads, so any of them can be the one above the limit.
     */
    @Test
    void countsConnectionsBeforeTheirUpgrade() throws IOException {
        var url = URI.create(ash.pair().url());
        var open = new ArrayList<SocketChannel>();
        try (var selector = Selector.open()) {
            for (int i = 0; i < 7; i++) { // 4, 2 unauthenticated ones, and one more
                open.add(connect(url, "127.0.0.9"));
                open.getLast().register(selector, SelectionKey.OP_READ);
            }
            assertThat(selector.select(20_000)).isEqualTo(1);
            var refused = (SocketChannel) selector.selectedKeys().iterator().next().channel();
            assertThat(refused.read(ByteBuffer.allocate(1))).isEqualTo(-1);
            refused.close();
            selector.selectedKeys().clear();
            authenticated("10.6.0.1").close(); // other addresses can connect
            assertThat(selector.selectNow()).isZero();
        } finally {
            for (var channel : open) {
                channel.close();
            }
        }
    }

    private static SocketChannel connect(URI url, String from) throws IOException {
        var channel = SocketChannel.open();
        channel.bind(new InetSocketAddress(from, 0));
        channel.connect(new InetSocketAddress(url.getHost(), url.getPort()));
        channel.configureBlocking(false);
        return channel;
    }

    private static DeviceClient authenticated(String address) {
        var pairing = ash.pair();
        var client = from(pairing, address);
        client.auth(pairing.token());
        return client;
    }

    private static String rejection(Pairing pairing, String address) {
        try (var client = from(pairing, address)) {
            var error = client.await("connection_error").path("payload");
            assertThat(error.path("code").asString()).isEqualTo("RATE_LIMITED");
            client.awaitClose();
            return error.path("message").asString();
        }
    }

    @Test
    void closesTheOldestConnectionBeyondTheDeviceLimit() {
        var pairing = ash.pair();
        try (var first = from(pairing, "10.3.0.1");
                var second = from(pairing, "10.3.0.1")) {
            first.auth(pairing.token());
            second.auth(pairing.token());
            try (var third = from(pairing, "10.3.0.1")) {
                third.auth(pairing.token());
                assertThat(first.await("connection_error").at("/payload/code").asString())
                        .isEqualTo("RATE_LIMITED");
                first.awaitClose();
                for (var open : List.of(second, third)) {
                    open.sendText("{\"type\":\"heartbeat_ping\",\"id\":\"h\"}");
                    open.await("heartbeat_pong");
                }
            }
        }
    }

    @Test
    void appliesAnAcknowledgmentToAllConnectionsOfTheDevice() {
        var pairing = ash.pair();
        try (var first = from(pairing, "8.8.8.8");
                var second = from(pairing, "8.8.8.8")) {
            first.auth(pairing.token());
            second.auth(pairing.token());
            var warning = Map.of("warning_code", "DIRECT_PUBLIC_CONNECTION", "acknowledged", true);
            first.request("acknowledge_warning", warning);

            var acknowledged = second.await("acknowledgment_accepted").path("payload");
            assertThat(acknowledged.path("ready").asBoolean()).isTrue();
            var ready = second.request("session_start", Map.of("agent", "demo", "resume", false));
            assertThat(ready.path("type").asString()).as("%s", ready).isEqualTo("session_ready");
        }
    }

    @Test
    void closesTheConnectionOfAnExpiredToken() {
        Instant expires;
        Pairing pairing;
        // Connects first, so that only auth must happen before the token expires.
        try (var client = from(ash.pair(), "10.4.0.1")) {
            expires = Instant.now().plus(Duration.ofSeconds(3));
            pairing = pair(Map.of("name", "visitor", "tokenExpiresAt", expires.toString()));
            client.auth(pairing.token());
            var error = client.await("connection_error").path("payload");
            assertThat(error.path("message").asString()).contains("expired");
            client.awaitClose();
            assertThat(Instant.now()).isAfterOrEqualTo(expires);
        }
        try (var client = from(pairing, "10.4.0.1")) {
            client.send("auth", "a", Map.of("token", pairing.token(), "client_version", "1.0.0"));
            assertThat(client.await("connection_error").at("/payload/code").asString())
                    .isEqualTo("AUTH_FAILED");
        }
    }

    @Test
    void closesTheConnectionOfADeviceRevokedByAnotherProcess() {
        var pairing = pair(Map.of("name", "lost"));
        try (var client = from(pairing, "10.4.0.2")) {
            client.auth(pairing.token());

            new Store(ash.data())
                    .update("UPDATE devices SET revoked_at = 1 WHERE id = ?", pairing.id());

            var error = client.await("connection_error").path("payload");
            assertThat(error.path("code").asString()).isEqualTo("AUTH_FAILED");
            assertThat(error.path("message").asString()).contains("revoked");
            client.awaitClose();
        }
    }

    @Test
    void explainsCredentialsSentToTheWrongListener() {
        var pairing = pair(Map.of("name", "curious"));
        assertRejectedByApi(pairing.token());
        try (var client = from(pairing, "10.6.0.1")) {
            client.auth(pairing.token()); // the API has not consumed the token
            assertRejectedByApi(pairing.token());
        }
        var key = ash.api().post("/api/api-keys", Map.of()).expect(201).at("/key").asString();
        try (var client = from(pairing, "10.6.0.2")) {
            client.send("auth", "a", Map.of("token", key, "client_version", "1.0.0"));
            var error = client.await("connection_error").path("payload");
            assertThat(error.path("code").asString()).isEqualTo("AUTH_FAILED");
            assertThat(error.path("message").asString()).contains("API key", "device token");
            assertThat(error.path("remediation").asString()).contains("ash devices pair");
            client.awaitClose();
        }
    }

    private static void assertRejectedByApi(String token) {
        ash.api()
                .exchange(
                        "GET",
                        "/api/sessions",
                        null,
                        request -> request.setHeader("Authorization", "Bearer " + token))
                .refused(401, "UNAUTHORIZED", "device token", "gateway", "API key");
    }

    @Test
    void enforcesTheScopesOfDevices() {
        try (var steer = device("10.5.0.1", "steer");
                var watch = device("10.5.0.2", "watch");
                var approve = device("10.5.0.3", "approve")) {
            assertScopeMissing(
                    watch, "session_start", Map.of("agent", "demo", "resume", false), "steer");
            var ready = steer.request("session_start", Map.of("agent", "demo", "resume", false));
            var session = ready.at("/payload/session_id").asString();
            for (var other : List.of(watch, approve)) {
                var joined =
                        other.request(
                                "session_start", Map.of("session_id", session, "resume", true));
                assertThat(joined.path("type").asString()).isEqualTo("session_ready");
                assertScopeMissing(
                        other, "message", Map.of("session_id", session, "content", "x"), "steer");
                assertScopeMissing(other, "session_end", Map.of("session_id", session), "steer");
            }
            steer.send("message", "m", Map.of("session_id", session, "content", "hello"));

            var asked = watch.await("approval_required").path("payload");
            assertScopeMissing(watch, "approval_response", decision(asked), "approve");
            steer.await("approval_required");
            assertScopeMissing(steer, "approval_response", decision(asked), "approve");
            assertScopeMissing(
                    steer,
                    "permission_mode",
                    Map.of("session_id", session, "mode", "bypassPermissions"),
                    "approve");
            approve.await("approval_required");
            approve.send("approval_response", "r", decision(asked));
            watch.await("tool_result");
            watch.await("stream_end");
        }
        var scopes =
                ash.api()
                        .get("/api/devices")
                        .expect(200)
                        .at("/devices")
                        .valueStream()
                        .filter(device -> device.path("name").asString().equals("approve"))
                        .map(device -> device.path("scopes").toString());
        assertThat(scopes).containsExactly("[\"watch\",\"approve\"]");
    }

    private static DeviceClient device(String address, String scope) {
        var pairing = pair(Map.of("name", scope, "scopes", List.of(scope)));
        var client = from(pairing, address);
        client.auth(pairing.token(), "permission_mode_v1");
        return client;
    }

    private static Map<String, Object> decision(JsonNode asked) {
        return Map.of(
                "session_id",
                asked.path("session_id").asString(),
                "tool_call_id",
                asked.path("tool_call_id").asString(),
                "decision",
                "approved");
    }

    private static void assertScopeMissing(
            DeviceClient client, String type, Map<String, ?> payload, String scope) {
        var answer = client.request(type, payload);
        assertThat(answer.path("type").asString()).as("%s", answer).isEqualTo("error");
        assertThat(answer.at("/payload/code").asString()).isEqualTo("SCOPE_MISSING");
        assertThat(answer.at("/payload/recoverable").asBoolean(true)).isFalse();
        assertThat(answer.at("/payload/message").asString())
                .contains("requires the scope " + scope);
    }

    @Test
    void rejectsInvalidScopesAndExpiry() {
        for (var request :
                List.of(
                        Map.of("scopes", List.of()),
                        Map.of("scopes", List.of("watch", "admin")),
                        Map.of("scopes", "watch"),
                        Map.of("expiresInDays", 0),
                        Map.of("expiresInDays", 4000),
                        Map.of("tokenExpiresAt", "2020-01-01T00:00:00Z"),
                        Map.of("tokenExpiresAt", "soon"))) {
            ash.api().post("/api/devices", request).expect(400);
        }
    }
}

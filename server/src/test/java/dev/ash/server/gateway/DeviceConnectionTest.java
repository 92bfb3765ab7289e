package dev.ash.server.gateway;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ash.protocol.ApiException;
import dev.ash.protocol.ErrorCode;
import dev.ash.protocol.TenantId;
import dev.ash.protocol.gateway.GatewayFrame;
import dev.ash.protocol.json.JsonWriter;
import dev.ash.protocol.json.RawJson;
import dev.ash.server.device.Device;
import dev.ash.server.device.Devices;
import dev.ash.server.identity.ApiKeyIdentity;
import dev.ash.server.identity.Authenticator;
import dev.ash.server.identity.Identity;
import dev.ash.server.identity.Scope;
import dev.ash.server.identity.TestIdentities;
import dev.ash.server.store.Database;
import java.net.InetAddress;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.time.Clock;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class DeviceConnectionTest {
    private static final Clock CLOCK =
            Clock.fixed(Instant.parse("2026-03-20T14:32:00.050Z"), ZoneOffset.UTC);

    @TempDir Path directory;
    private Database database;
    private Devices devices;
    private Authenticator authenticator;
    private final List<GatewayFrame> sent = new ArrayList<>();
    private final List<String> requested = new ArrayList<>();
    private int failures;
    private int channels;
    private int closedChannels;
    private final CountDownLatch channelClosed = new CountDownLatch(1);
    private Runnable whenAuthenticated = () -> {};
    private Runnable afterNextFrame = () -> {};
    private @Nullable String closed;

    @BeforeEach
    void open() {
        database = Database.open(directory.resolve("ash.db"));
        devices = new Devices(database, new SecureRandom(), CLOCK);
        authenticator = new Authenticator(new TestIdentities(DeviceConnectionTest::key), devices);
    }

    private static Optional<Identity> key(String credential) {
        return credential.equals("ash_a-key")
                ? Optional.of(new ApiKeyIdentity(TenantId.DEFAULT, "k", Scope.ALL))
                : Optional.empty();
    }

    @AfterEach
    void close() {
        authenticator.close();
        database.close();
    }

    private final class Link implements DeviceLink {
        @Override
        public void send(GatewayFrame frame) {
            sent.add(frame);
            var action = afterNextFrame;
            afterNextFrame = () -> {};
            action.run();
        }

        @Override
        public void send(String text) {}

        @Override
        public void awaitCapacity() {}

        @Override
        public void ping(long number) {}

        @Override
        public void close(String reason) {
            closed = reason;
        }
    }

    private final class Failures implements ConnectionContext.AuthFailures {
        @Override
        public boolean isBlocked(String address) {
            return failures >= 3;
        }

        @Override
        public void recordFailure(String address) {
            failures++;
        }
    }

    private final class TestChannel implements Channel {
        @Override
        public void receive(DeviceMessageType type, GatewayFrame frame) {
            requested.add(frame.type());
            if (frame.type().equals("message")) {
                throw new ApiException(ErrorCode.SESSION_NOT_FOUND, "Session not found");
            }
        }

        @Override
        public void setCapabilities(Set<Capability> declared) {}

        @Override
        public void pong(long number) {}

        @Override
        public void close() {
            closedChannels++;
            channelClosed.countDown();
        }
    }

    private static final class Server implements ConnectionContext.ServerInfo {
        @Override
        public JsonWriter addTo(JsonWriter payload, Device device) {
            return payload.put("server_version", "1");
        }

        @Override
        public String documentation() {
            return "https://h/docs/gateway";
        }
    }

    /** A listener without other connections. */
    private final class OnlyConnection implements DeviceConnection.Listener {
        @Override
        public void authenticated(Device device) {
            whenAuthenticated.run();
        }

        @Override
        public void acknowledged(Device device) {}
    }

    private Connection connection(ConnectionMode mode) {
        return connection(mode, true, true);
    }

    private Connection connection(ConnectionMode mode, boolean encrypted, boolean admitsPublic) {
        var context =
                new ConnectionContext(
                        authenticator,
                        devices,
                        new Failures(),
                        new Server(),
                        (_, _, _) -> {
                            channels++;
                            return new TestChannel();
                        },
                        admitsPublic,
                        CLOCK);
        var source = new ConnectionSource(mode, InetAddress.ofLiteral("192.0.2.7"), encrypted);
        return encrypted
                ? new DeviceConnection(source, context, new Link(), new OnlyConnection())
                : new InsecureConnection(context, new Link());
    }

    private Connection admitted(ConnectionMode mode) {
        var connection = connection(mode);
        connection.received(auth(devices.pair(TenantId.DEFAULT, null).token(), ""));
        sent.clear();
        return connection;
    }

    private static String auth(String token, String more) {
        return """
               {"type":"auth","id":"auth-001","payload":{"token":"%s","client_version":"1.0.0","platform":"ios"%s}}"""
                .formatted(token, more);
    }

    private String last() {
        return sent.getLast().toJson("now");
    }

    private static final String CHECK =
            """
            {"type":"health_check","id":"h1","payload":{"timestamp":"2026-03-20T14:32:00Z",\
            "client_nonce":"n1","client_capabilities":["health_v1"]}}""";

    private static final String ACKNOWLEDGE_CONNECTION =
            """
            {"type":"acknowledge_warning","id":"a1","payload":{\
            "warning_code":"DIRECT_PUBLIC_CONNECTION","acknowledged":true}}""";

    @Test
    void acknowledgesPairedDeviceWithIdOfAuth() {
        var token = devices.pair(TenantId.DEFAULT, null).token();

        connection(ConnectionMode.PRIVATE_NETWORK).received(auth(token, ""));

        assertThat(last())
                .contains(
                        "\"type\":\"connection_ack\"",
                        "\"id\":\"auth-001\"",
                        "\"server_version\":\"1\"",
                        "\"connection_mode\":\"private_network\"",
                        "\"connection_mode_description\":\"Private network connection (192.0.2.7)\"",
                        "\"requires_health_verification\":true")
                .doesNotContain("device_token");
        assertThat(closed).isNull();
    }

    @Test
    void sendsDeviceTokenToDeviceWithCapability() {
        var token = devices.pair(TenantId.DEFAULT, null).token();

        connection(ConnectionMode.LOCAL_ONLY)
                .received(auth(token, ",\"client_capabilities\":[\"device_token_v1\"]"));

        assertThat(last()).contains("\"device_token\":\"ash_dev_");
    }

    @Test
    void refusesAndRateLimitsInvalidTokens() {
        for (int i = 0; i < 3; i++) {
            connection(ConnectionMode.LOCAL_ONLY).received(auth("wrong", ""));
            assertThat(last()).contains("connection_error", "\"id\":\"auth-001\"", "AUTH_FAILED");
            assertThat(closed).isEqualTo("AUTH_FAILED");
        }
        connection(ConnectionMode.LOCAL_ONLY).received(auth("wrong", ""));
        assertThat(last()).contains("RATE_LIMITED", "\"id\":\"auth-001\"");
        assertThat(closed).isEqualTo("RATE_LIMITED");
    }

    @Test
    void acceptsValidTokenFromRateLimitedAddress() {
        for (int i = 0; i < 10; i++) {
            connection(ConnectionMode.LOCAL_ONLY).received(auth("wrong", ""));
        }
        var token = devices.pair(TenantId.DEFAULT, null).token();

        connection(ConnectionMode.LOCAL_ONLY).received(auth(token, ""));

        assertThat(last()).contains("connection_ack");
    }

    @Test
    void refusesApiKeyAndCountsItAsInvalidToken() {
        connection(ConnectionMode.LOCAL_ONLY).received(auth("ash_a-key", ""));

        assertThat(last())
                .contains(
                        "AUTH_FAILED",
                        "requires a device token",
                        "not an API key",
                        "ash devices pair");
        assertThat(closed).isEqualTo("AUTH_FAILED");
        assertThat(failures).isEqualTo(1);
    }

    @Test
    void removesRegistrationOfClosedConnection() {
        var open = admitted(ConnectionMode.LOCAL_ONLY);
        var id = devices.list(TenantId.DEFAULT).getFirst().id();
        assertThat(devices.openCalls().callers()).containsExactly(id);

        open.closed();

        assertThat(devices.openCalls().callers()).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{\"type\":\"session_start\",\"id\":\"x\"}",
                "{\"type\":\"health_check\",\"id\":\"x\"}",
                "nonsense",
                "null",
                "[]",
                "{}",
                "{\"type\":7}",
                "{\"type\":\"auth\",\"payload\":[]}",
                "{\"type\":\"auth\",\"id\":7,\"payload\":{}}"
            })
    void refusesOtherMessagesBeforeAuth(String text) {
        connection(ConnectionMode.LOCAL_ONLY).received(text);

        assertThat(last()).contains("connection_error");
        assertThat(closed).isNotNull();
        assertThat(requested).isEmpty();
    }

    @ParameterizedTest
    @CsvSource({
        "0.1.0,connection_ack", "1.0.0,connection_ack", "1.9,connection_ack",
        "2.0.0,VERSION_INCOMPATIBLE", "999.0.0,VERSION_INCOMPATIBLE", "'',VERSION_INCOMPATIBLE",
        "one,VERSION_INCOMPATIBLE", "1,VERSION_INCOMPATIBLE"
    })
    void admitsOnlyCompatibleVersions(String version, String answer) {
        var token = devices.pair(TenantId.DEFAULT, null).token();

        connection(ConnectionMode.LOCAL_ONLY).received(auth(token, "").replace("1.0.0", version));

        assertThat(last()).contains(answer);
    }

    @Test
    void answersHeartbeatsBeforeAuth() {
        connection(ConnectionMode.LOCAL_ONLY)
                .received("{\"type\":\"heartbeat_ping\",\"timestamp\":\"2026-03-16T10:32:00Z\"}");

        assertThat(last()).contains("\"type\":\"heartbeat_pong\"");
        assertThat(closed).isNull();
    }

    @Test
    void refusesInsecureConnectionWithIdOfAuthAndInvalidatesItsToken() {
        var plain = connection(ConnectionMode.MISCONFIGURED, false, true);
        plain.opened();
        assertThat(sent).as("before its first message").isEmpty();
        var token = devices.pair(TenantId.DEFAULT, "phone").token();
        plain.received(auth(token, ""));
        plain.firstMessageOverdue();

        assertThat(sent).hasSize(1);
        assertThat(last())
                .contains(
                        "\"id\":\"auth-001\"",
                        "INSECURE_TRANSPORT",
                        "\"documentation_url\":\"https://h/docs/gateway\"",
                        "\"remediation\":",
                        "wss://");
        assertThat(closed).isEqualTo("INSECURE_TRANSPORT");
        assertThat(devices.authenticate(token, "ios", false)).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {"nonsense", "[]", "{}", "{\"type\":\"auth\",\"payload\":[]}", ""})
    void refusesInsecureConnectionForAnyMessage(String text) {
        var plain = connection(ConnectionMode.MISCONFIGURED, false, true);
        plain.received(text);

        assertThat(last()).contains("INSECURE_TRANSPORT");
        assertThat(closed).isEqualTo("INSECURE_TRANSPORT");
    }

    @Test
    void refusesSilentInsecureConnectionAndInvalidatesLaterToken() {
        var plain = connection(ConnectionMode.MISCONFIGURED, false, true);
        plain.opened();
        plain.firstMessageOverdue();
        assertThat(last()).contains("INSECURE_TRANSPORT").doesNotContain("\"id\":");
        assertThat(closed).isNull();

        var token = devices.pair(TenantId.DEFAULT, "phone").token();
        plain.received(auth(token, ""));

        assertThat(last()).contains("\"id\":\"auth-001\"", "INSECURE_TRANSPORT");
        assertThat(devices.authenticate(token, "ios", false)).isEmpty();
    }

    @Test
    void refusesUntrustedProxiesAndDisabledPublicConnections() {
        connection(ConnectionMode.MISCONFIGURED).opened();
        assertThat(last()).contains("MISCONFIGURED", "ASH_TRUSTED_PROXIES");

        connection(ConnectionMode.DIRECT_PUBLIC, true, false).opened();
        assertThat(last()).contains("MISCONFIGURED", "ASH_GATEWAY_PUBLIC");
    }

    @Test
    void reportsHealthOfConnection() {
        var connection = admitted(ConnectionMode.SECURE_REMOTE);

        connection.received(CHECK);

        assertThat(last())
                .contains(
                        "\"id\":\"h1\"",
                        "\"status\":\"healthy\"",
                        "\"warnings\":[]",
                        "\"tls_valid\":true",
                        "\"clock_sync\":true",
                        "\"server_timestamp\":\"2026-03-20T14:32:00.050Z\"",
                        "\"latency_ms\":50",
                        "\"client_nonce\":\"n1\"",
                        "\"ready\":true")
                .doesNotContain("requires_acknowledgment", "warning_details");
    }

    @ParameterizedTest
    @ValueSource(strings = {"2026-03-20T14:26:59Z", "2026-03-20T14:37:01Z", "yesterday", ""})
    void warnsAboutSkewedClock(String timestamp) {
        var connection = admitted(ConnectionMode.SECURE_REMOTE);

        connection.received(CHECK.replace("2026-03-20T14:32:00Z", timestamp));

        assertThat(last())
                .contains("\"status\":\"warning\"", "\"clock_sync\":false", "\"ready\":false");
    }

    @ParameterizedTest
    @ValueSource(strings = {"{}", "{\"timestamp\":null}"})
    void doesNotWarnAboutClockWithoutTimestamp(String payload) {
        var connection = admitted(ConnectionMode.SECURE_REMOTE);

        connection.received("{\"type\":\"health_check\",\"id\":\"h\",\"payload\":" + payload + "}");

        assertThat(last())
                .contains(
                        "\"status\":\"healthy\"",
                        "\"warnings\":[]",
                        "\"clock_sync\":true",
                        "\"latency_ms\":0",
                        "\"ready\":true");
    }

    @Test
    void acknowledgesClockSkewForAllConnectionsOfDevice() {
        var token = devices.pair(TenantId.DEFAULT, null).token();
        var connection = connection(ConnectionMode.SECURE_REMOTE);
        connection.received(auth(token, ""));
        var acknowledge =
                "{\"type\":\"acknowledge_warning\",\"id\":\"a1\",\"payload\":{\"warning_code\":\"CLOCK_SKEW\",\"acknowledged\":true}}";
        connection.received(acknowledge);
        assertThat(last()).as("before the warning").contains("\"type\":\"error\"", "\"id\":\"a1\"");
        var skewed = CHECK.replace("14:32", "10:32");
        connection.received(skewed);
        assertThat(last())
                .contains(
                        "\"warnings\":[\"CLOCK_SKEW\"]",
                        "\"requires_acknowledgment\":true",
                        "\"ready\":false");

        connection.received(acknowledge);
        assertThat(last())
                .contains(
                        "acknowledgment_accepted",
                        "\"id\":\"a1\"",
                        "\"warning_code\":\"CLOCK_SKEW\"",
                        "\"ready\":true",
                        "\"session_timeout\":\"8h\"");
        var again = connection(ConnectionMode.SECURE_REMOTE);
        again.received(auth(token, ""));
        again.received(skewed);
        assertThat(last())
                .contains(
                        "\"status\":\"healthy\"",
                        "\"warnings\":[]",
                        "\"clock_sync\":false",
                        "\"ready\":true")
                .doesNotContain("requires_acknowledgment");
    }

    @Test
    void requiresAcknowledgmentOfEachWarning() {
        var connection = admitted(ConnectionMode.DIRECT_PUBLIC);
        connection.received(CHECK.replace("14:32", "10:32"));
        assertThat(last()).contains("[\"DIRECT_PUBLIC_CONNECTION\",\"CLOCK_SKEW\"]");
        var acknowledge =
                "{\"type\":\"acknowledge_warning\",\"payload\":{\"warning_code\":\"%s\",\"acknowledged\":true}}";

        connection.received(acknowledge.formatted("DIRECT_PUBLIC_CONNECTION"));
        assertThat(last()).contains("acknowledgment_accepted", "\"ready\":false");
        connection.received(acknowledge.formatted("CLOCK_SKEW"));
        assertThat(last()).contains("acknowledgment_accepted", "\"ready\":true");
    }

    @Test
    void reportsAcknowledgmentOnOtherConnectionDuringAdmission() {
        var token = devices.pair(TenantId.DEFAULT, null).token();
        var other = connection(ConnectionMode.DIRECT_PUBLIC);
        other.received(auth(token, ""));
        var connection = connection(ConnectionMode.DIRECT_PUBLIC);
        afterNextFrame = () -> other.received(ACKNOWLEDGE_CONNECTION);

        connection.received(auth(token, ""));
        connection.acknowledgedOnOtherConnection();

        assertThat(last()).contains("acknowledgment_accepted", "\"ready\":true");
        assertThat(sent)
                .filteredOn(frame -> frame.type().equals("acknowledgment_accepted"))
                .hasSize(2);
        assertThat(channels).isEqualTo(2);
    }

    @Test
    void reportsAcknowledgmentOnOtherConnectionBeforeNextMessage() {
        var token = devices.pair(TenantId.DEFAULT, null).token();
        var other = connection(ConnectionMode.DIRECT_PUBLIC);
        other.received(auth(token, ""));
        var connection = connection(ConnectionMode.DIRECT_PUBLIC);
        connection.received(auth(token, ""));
        other.received(ACKNOWLEDGE_CONNECTION);
        sent.clear();

        connection.received("{\"type\":\"session_start\",\"id\":\"s2\",\"payload\":{}}");
        connection.acknowledgedOnOtherConnection();

        assertThat(sent).extracting(GatewayFrame::type).containsExactly("acknowledgment_accepted");
        assertThat(requested).containsExactly("session_start");
    }

    @Test
    void rejectsRequestsOnPublicConnectionBeforeAcknowledgment() {
        var connection = admitted(ConnectionMode.DIRECT_PUBLIC);

        connection.received("{\"type\":\"session_start\",\"id\":\"s1\",\"payload\":{}}");
        assertThat(last()).contains("\"type\":\"error\"", "\"id\":\"s1\"", "acknowledge_warning");
        assertThat(requested).isEmpty();
        connection.received(CHECK);
        assertThat(last())
                .contains(
                        "\"status\":\"warning\"",
                        "\"warnings\":[\"DIRECT_PUBLIC_CONNECTION\"]",
                        "\"warning_details\":{\"DIRECT_PUBLIC_CONNECTION\":",
                        "\"ready\":false",
                        "\"requires_acknowledgment\":true");

        connection.received(ACKNOWLEDGE_CONNECTION);
        assertThat(last())
                .contains(
                        "acknowledgment_accepted",
                        "\"id\":\"a1\"",
                        "\"ready\":true",
                        "\"session_timeout\":\"8h\"");
        connection.received("{\"type\":\"session_start\",\"id\":\"s2\",\"payload\":{}}");
        assertThat(requested).containsExactly("session_start");
        assertThat(channels).isEqualTo(1);
    }

    @Test
    void opensNoChannelOnPublicConnectionBeforeAcknowledgment() {
        admitted(ConnectionMode.DIRECT_PUBLIC).received(CHECK);

        assertThat(channels).isZero();
    }

    @Test
    void opensNoChannelForProbe() {
        var token = devices.pair(TenantId.DEFAULT, null).token();
        var probe = connection(ConnectionMode.LOCAL_ONLY);

        probe.received(auth(token, ",\"purpose\":\"probe\""));
        assertThat(last()).contains("connection_ack", "\"purpose\":\"probe\"");
        probe.received(CHECK);
        assertThat(last()).contains("health_status");
        probe.received("{\"type\":\"session_start\",\"id\":\"s\",\"payload\":{}}");
        assertThat(last()).contains("BRIDGE_ERROR", "probe");

        assertThat(channels).isZero();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{\"warning_code\":\"DIRECT_PUBLIC_CONNECTION\",\"acknowledged\":false}",
                "{\"warning_code\":\"ANOTHER\",\"acknowledged\":true}",
                "{\"acknowledged\":true}",
                "{}"
            })
    void rejectsIncompleteAcknowledgment(String payload) {
        var connection = admitted(ConnectionMode.DIRECT_PUBLIC);

        connection.received(
                "{\"type\":\"acknowledge_warning\",\"id\":\"a1\",\"payload\":" + payload + "}");
        assertThat(last()).contains("\"type\":\"error\"", "\"id\":\"a1\"");
        connection.received("{\"type\":\"git_diff\",\"id\":\"g\",\"payload\":{}}");

        assertThat(requested).isEmpty();
    }

    @Test
    void sendsErrorsWithIdAndCodeAndRecoverable() {
        var connection = admitted(ConnectionMode.LOCAL_ONLY);

        connection.received("{\"type\":\"message\",\"id\":\"m1\",\"payload\":{}}");
        assertThat(last())
                .contains(
                        "\"id\":\"m1\"", "\"code\":\"SESSION_NOT_FOUND\"", "\"recoverable\":false");
        connection.received("{\"type\":\"message\",");
        assertThat(last()).contains("BRIDGE_ERROR", "\"recoverable\":true");
        assertThat(closed).isNull();
    }

    @ParameterizedTest
    @CsvSource({
        "SESSION_NOT_FOUND,SESSION_NOT_FOUND,false",
        "SESSION_ENDED,SESSION_NOT_FOUND,false",
        "APPROVAL_NOT_FOUND,TOOL_ERROR,true",
        "APPROVAL_RESOLVED,TOOL_ERROR,true",
        "RATE_LIMITED,RATE_LIMITED,true",
        "SANDBOX_FAILED,AGENT_ERROR,true",
        "CAPACITY_REACHED,AGENT_ERROR,true",
        "UNAUTHORIZED,AUTH_FAILED,false",
        "INTERNAL,BRIDGE_ERROR,true",
        "VALIDATION_FAILED,BRIDGE_ERROR,true"
    })
    void mapsErrorCodesToCodesOfProtocol(
            ErrorCode code, GatewayError expected, boolean recoverable) {
        assertThat(GatewayError.of(code)).isEqualTo(expected);
        assertThat(expected.recoverable()).isEqualTo(recoverable);
    }

    @Test
    void parsesSerializedFrames() throws Exception {
        var frame = new GatewayFrame("x", "i\"d", RawJson.of("{\"a\":[1,2]}"));

        var text = frame.toJson("2026-03-16T10:32:00Z");

        assertThat(GatewayFrame.parse(text)).isEqualTo(frame);
        assertThat(text).contains("\"timestamp\":\"2026-03-16T10:32:00Z\"");
    }

    @Test
    void ignoresMessagesOfRefusedConnectionAndRefusesOnce() {
        var connection = admitted(ConnectionMode.LOCAL_ONLY);
        connection.refuse(ConnectionRefusal.authFailed("first"));
        connection.refuse(ConnectionRefusal.authFailed("second"));
        assertThat(sent).hasSize(1);
        assertThat(last()).contains("connection_error", "first");

        connection.received(CHECK);
        connection.received("nonsense");
        connection.received("{\"type\":\"session_start\",\"payload\":{}}");
        connection.authenticationOverdue();

        assertThat(sent).hasSize(1);
        assertThat(requested).isEmpty();
    }

    @Test
    void releasesChannelAndDeviceOfClosedConnectionOnce() throws Exception {
        var connection = admitted(ConnectionMode.LOCAL_ONLY);
        connection.refuse(ConnectionRefusal.authFailed("revoked"));
        assertThat(closedChannels).as("before the WebSocket is closed").isZero();

        connection.closed();
        connection.closed();

        assertThat(channelClosed.await(20, TimeUnit.SECONDS)).isTrue();
        assertThat(closedChannels).isEqualTo(1);
        assertThat(devices.openCalls().callers()).isEmpty();
    }

    @Test
    void releasesConnectionThatClosesDuringAdmission() {
        var connection = connection(ConnectionMode.LOCAL_ONLY);
        whenAuthenticated = connection::closed;

        connection.received(auth(devices.pair(TenantId.DEFAULT, null).token(), ""));

        assertThat(sent).isEmpty();
        assertThat(channels).isZero();
        assertThat(devices.openCalls().callers()).isEmpty();
    }

    @Test
    void refusesOnlyConnectionsWithoutAuthAfterTimeout() {
        admitted(ConnectionMode.LOCAL_ONLY).authenticationOverdue();
        assertThat(closed).isNull();

        connection(ConnectionMode.LOCAL_ONLY).authenticationOverdue();
        assertThat(closed).isEqualTo("AUTH_FAILED");
        assertThat(last()).contains("within ten seconds");
    }

    @Test
    void opensChannelAfterAcknowledgmentOnOtherConnectionExceptForProbes() {
        var token = devices.pair(TenantId.DEFAULT, null).token();
        var waiting = connection(ConnectionMode.DIRECT_PUBLIC);
        waiting.received(auth(token, ""));
        var probe = connection(ConnectionMode.DIRECT_PUBLIC);
        probe.received(auth(token, ",\"purpose\":\"probe\""));
        sent.clear();

        probe.acknowledgedOnOtherConnection();
        assertThat(sent).isEmpty();
        waiting.acknowledgedOnOtherConnection();
        waiting.acknowledgedOnOtherConnection();

        assertThat(sent).hasSize(1);
        assertThat(last()).contains("acknowledgment_accepted");
        assertThat(channels).isEqualTo(1);
    }
}

package dev.ash.server.gateway;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.ash.protocol.TenantId;
import dev.ash.protocol.gateway.GatewayFrame;
import dev.ash.server.device.DeviceScopes;
import dev.ash.server.device.Devices;
import dev.ash.server.egress.policy.Subnet;
import dev.ash.server.http.HttpConfig;
import dev.ash.server.http.Origins;
import dev.ash.server.http.Socket;
import dev.ash.server.http.SocketHandler;
import dev.ash.server.http.SocketRequest;
import dev.ash.server.identity.Authenticator;
import dev.ash.server.identity.TestIdentities;
import dev.ash.server.store.Database;
import java.net.InetAddress;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests the limits of connections, and the effects of revocation, expiry and acknowledgment. */
class GatewaySocketsTest {
    private static final GatewayConfig.Limits LIMITS = new GatewayConfig.Limits(6, 3, 2);

    @TempDir Path directory;
    private Database database;
    private Devices devices;
    private Authenticator authenticator;
    private GatewaySockets sockets;
    private final AtomicInteger channels = new AtomicInteger();
    private volatile Instant now = Instant.parse("2026-03-20T14:32:00Z");

    /** Runs when the clock is read, which {@link Devices} does between its queries. */
    private volatile Runnable onClockRead = () -> {};

    private final class TestClock extends Clock {
        @Override
        public Instant instant() {
            onClockRead.run();
            return now;
        }

        @Override
        public ZoneId getZone() {
            return ZoneOffset.UTC;
        }

        @Override
        public Clock withZone(ZoneId zone) {
            return this;
        }
    }

    private final class TestChannel implements Channel {
        @Override
        public void setCapabilities(Set<Capability> declared) {}

        @Override
        public void receive(DeviceMessageType type, GatewayFrame frame) {}

        @Override
        public void pong(long number) {}

        @Override
        public void close() {
            channels.decrementAndGet();
        }
    }

    /** A WebSocket without a network. */
    private static final class TestSocket implements Socket {
        private final List<String> sent = new CopyOnWriteArrayList<>();
        private final SocketHandler handler;
        private volatile String closed = "";
        private volatile boolean acceptsLarge;
        private volatile boolean isDead; // its peer does not respond

        private TestSocket(SocketHandler handler) {
            this.handler = handler;
            handler.opened(this);
        }

        @Override
        public void send(String text, Runnable done) {
            sent.add(text);
            done.run();
        }

        @Override
        public void ping(long number) {}

        @Override
        public void acceptLargeMessages() {
            acceptsLarge = true;
        }

        @Override
        public void close(int status, String reason) {
            closed = reason;
            if (!isDead) {
                handler.closed();
            }
        }

        @Override
        public void disconnect() {
            closed = "cut";
            handler.closed();
        }

        private TestSocket auth(String token) {
            handler.text(
                    "{\"type\":\"auth\",\"id\":\"a\",\"payload\":{\"token\":\"%s\",\"client_version\":\"1.0.0\"}}"
                            .formatted(token));
            return this;
        }

        private void request(String type) {
            handler.text("{\"type\":\"%s\",\"id\":\"x\",\"payload\":{}}".formatted(type));
        }

        private String last() {
            return sent.getLast();
        }
    }

    @BeforeEach
    void open() {
        database = Database.open(directory.resolve("ash.db"));
        var clock = new TestClock();
        devices = new Devices(database, new SecureRandom(), clock);
        var noKeys = new TestIdentities(_ -> Optional.empty());
        authenticator = new Authenticator(noKeys, devices);
        var context =
                new ConnectionContext(
                        authenticator,
                        devices,
                        new AuthFailureLimiter(),
                        (payload, _) -> payload,
                        (_, _, _) -> {
                            channels.incrementAndGet();
                            return new TestChannel();
                        },
                        true,
                        clock);
        var http = new HttpConfig("127.0.0.1", 0);
        var classifier =
                new ConnectionClassifier(List.of(Subnet.parse("127.0.0.1")), List.of(), List::of);
        sockets = new GatewaySockets(classifier, new Origins(http), context, LIMITS);
    }

    @AfterEach
    void close() {
        sockets.close();
        authenticator.close();
        database.close();
    }

    private TestSocket from(String address) {
        var request =
                new SocketRequest(
                        InetAddress.ofLiteral("127.0.0.1"),
                        true,
                        null,
                        null,
                        Map.of(
                                "x-forwarded-for",
                                List.of(address),
                                "x-forwarded-proto",
                                List.of("https")));
        return new TestSocket(sockets.accept(request));
    }

    private Devices.Pairing paired() {
        var pairing = devices.pair(TenantId.DEFAULT, "phone");
        devices.authenticate(pairing.token(), null, false).orElseThrow();
        return pairing;
    }

    /** The steps: find, authenticate, set last seen, then register and check the connection. */
    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 4})
    void closesConnectionOfDeviceRevokedDuringAdmission(int step) {
        var pairing = paired();
        var socket = from("10.0.0.1");
        var steps = new AtomicInteger();
        var testThread = Thread.currentThread();
        onClockRead =
                () -> {
                    if (Thread.currentThread() == testThread && steps.incrementAndGet() == step) {
                        devices.revoke(TenantId.DEFAULT, pairing.device().id());
                    }
                };

        socket.auth(pairing.token());

        assertThat(steps).hasValueGreaterThanOrEqualTo(step);
        assertThat(socket.closed).isEqualTo("AUTH_FAILED");
        assertThat(socket.sent).noneMatch(text -> text.contains("connection_ack"));
        assertThat(channels).hasValue(0);
        assertThat(sockets.isConnected(pairing.device().id())).isFalse();
    }

    @Test
    void closesOnlyConnectionsOfRevokedDevice() {
        var revoked = paired();
        var other = paired();
        var first = from("10.0.0.1").auth(revoked.token());
        var second = from("10.0.0.2").auth(revoked.token());
        var untouched = from("10.0.0.1").auth(other.token());

        devices.revoke(TenantId.DEFAULT, revoked.device().id());

        assertThat(List.of(first.closed, second.closed, untouched.closed))
                .containsExactly("AUTH_FAILED", "AUTH_FAILED", "");
    }

    @Test
    void closesConnectionsOfExpiredTokenAndRefusesNewOnes() {
        var pairing =
                devices.pair(
                        TenantId.DEFAULT,
                        "phone",
                        DeviceScopes.ALL,
                        now.plusSeconds(60).toEpochMilli());
        var socket = from("10.0.0.1").auth(pairing.token());
        assertThat(socket.last()).contains("connection_ack");

        now = now.plusSeconds(60);

        await().atMost(Duration.ofSeconds(10)).until(() -> socket.closed.equals("AUTH_FAILED"));
        assertThat(socket.last()).contains("expired");
        assertThat(from("10.0.0.1").auth(pairing.token()).closed).isEqualTo("AUTH_FAILED");
    }

    @Test
    void acknowledgmentOpensOtherConnectionsOfDevice() {
        var pairing = paired();
        var other = from("8.8.4.4").auth(paired().token());
        var first = from("8.8.8.8").auth(pairing.token());
        var second = from("8.8.8.8").auth(pairing.token());
        assertThat(channels).hasValue(0);

        first.handler.text(
                "{\"type\":\"acknowledge_warning\",\"id\":\"w\",\"payload\":{\"warning_code\":\"DIRECT_PUBLIC_CONNECTION\",\"acknowledged\":true}}");

        assertThat(first.last()).contains("acknowledgment_accepted", "\"id\":\"w\"");
        assertThat(second.last()).contains("acknowledgment_accepted", "\"ready\":true");
        assertThat(channels).hasValue(2);
        second.request("session_start");
        assertThat(second.last()).contains("acknowledgment_accepted"); // passed to the channel
        other.request("session_start");
        assertThat(other.last()).contains("acknowledge_warning");
    }

    @Test
    void limitsConnectionsAndUnauthenticatedOnesPerAddress() {
        var waiting = IntStream.range(0, 3).mapToObj(_ -> from("10.0.0.1")).toList();
        assertThat(from("10.0.0.1").last()).contains("RATE_LIMITED", "unauthenticated");
        assertThat(from("10.0.0.2").sent).isEmpty();

        waiting.forEach(socket -> socket.auth(paired().token()));
        var more = IntStream.range(0, 3).mapToObj(_ -> from("10.0.0.1")).toList();
        more.forEach(socket -> socket.auth(paired().token()));
        var tooMany = from("10.0.0.1");
        assertThat(tooMany.last()).contains("RATE_LIMITED", "6 connections");
        assertThat(tooMany.closed).isEqualTo("RATE_LIMITED");

        more.getFirst().handler.closed();
        more.getFirst().handler.closed(); // reported twice, counted once
        assertThat(from("10.0.0.1").sent).isEmpty();
        assertThat(from("10.0.0.1").last()).contains("RATE_LIMITED");
    }

    @Test
    void countsAddressesOfIpv6NetworkAsOne() {
        IntStream.range(0, 3).forEach(i -> from("2001:db8:1:2::" + i));

        assertThat(from("2001:db8:1:2:ffff::9").last()).contains("RATE_LIMITED");
        assertThat(from("2001:db8:1:3::9").sent).isEmpty();
    }

    @Test
    void closesOldestConnectionAboveDeviceLimit() {
        var pairing = paired();
        var first = from("10.0.0.1").auth(pairing.token());
        var second = from("10.0.0.1").auth(pairing.token());
        var third = from("10.0.0.1").auth(pairing.token());

        assertThat(first.closed).isEqualTo("RATE_LIMITED");
        assertThat(List.of(second.closed, third.closed)).containsExactly("", "");
        assertThat(third.last()).contains("connection_ack");
        await().atMost(Duration.ofSeconds(10)).until(() -> channels.get() == 2);
    }

    @Test
    void admitsReconnectingDeviceWhileLostConnectionsAreOpen() {
        var pairing = paired();
        var lost = new ArrayList<TestSocket>();
        for (int i = 0; i < LIMITS.perAddress(); i++) {
            var socket = from("10.0.0.1").auth(pairing.token());
            assertThat(socket.last()).contains("connection_ack");
            socket.isDead = true;
            lost.add(socket);
        }
        assertThat(from("10.0.0.1").last()).contains("RATE_LIMITED", "6 connections");

        lost.getFirst().handler.closed(); // the server closed it earlier; now it is gone

        assertThat(from("10.0.0.1").auth(pairing.token()).last()).contains("connection_ack");
    }

    @Test
    void doesNotCountConnectionsClosedBeforeAuth() {
        for (int i = 0; i < 10 * LIMITS.perAddress(); i++) {
            var socket = from("10.0.0.1");
            assertThat(socket.sent).isEmpty();
            socket.handler.closed();
        }
        var wrong = from("10.0.0.1").auth("wrong");
        assertThat(wrong.closed).isEqualTo("AUTH_FAILED");

        assertThat(from("10.0.0.1").auth(paired().token()).last()).contains("connection_ack");
    }

    @Test
    void acceptsLargeMessagesOnlyAfterAuth() {
        var socket = from("10.0.0.1");
        assertThat(socket.acceptsLarge).isFalse();
        socket.auth("wrong");
        assertThat(socket.acceptsLarge).isFalse();

        assertThat(from("10.0.0.1").auth(paired().token()).acceptsLarge).isTrue();
    }
}

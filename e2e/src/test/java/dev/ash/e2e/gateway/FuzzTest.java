package dev.ash.e2e.gateway;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.ash.e2e.AshServer;
import dev.ash.e2e.Busy;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.Socket;
import java.net.URI;
import java.time.Duration;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Sends malformed frames over real sockets: each gets a clear error or closes its own connection,
 * and the server leaks no resources. {@code -Dash.fuzz=10000} runs the long form, {@code
 * -Dash.fuzz.seed} repeats a random run.
 */
@Busy
class FuzzTest {
    private static final int FRAMES = Integer.getInteger("ash.fuzz", 1000);
    private static final long SEED = Long.getLong("ash.fuzz.seed", System.nanoTime());
    private static final int BATCH = 40;
    private static final int ALMOST_TOO_LONG = 4 * 1024 * 1024 - 100;
    private static final long MAX_EXTRA_BYTES = 8L * 1024 * 1024;
    private static final String DEFLATE = "Sec-WebSocket-Extensions: permessage-deflate\r\n";

    private final Random random = new Random(SEED);
    private final FuzzTexts texts = new FuzzTexts(random);
    private final FuzzFrames frames = new FuzzFrames(random);
    private int sent;

    @Test
    @Timeout(value = 30, unit = TimeUnit.MINUTES) // for the long form
    void survivesMalformedFrames() throws Exception {
        try (var server = AshServer.start(Map.of("ASH_GATEWAY", "1", "ASH_GATEWAY_PORT", "0"))) {
            var pairing = DeviceClient.pair(server);
            try (var healthy = DeviceClient.enter(DeviceClient.pair(server))) {
                round(pairing, BATCH * 10); // warm-up: creates all one-time resources
                var before = ResourceUsage.of(server.process().pid());
                sent = 0;
                while (sent < FRAMES) {
                    round(pairing, BATCH * 10);
                }
                assertThat(sent).isGreaterThanOrEqualTo(FRAMES);
                assertResponds(healthy);
                var after = awaitReleased(server, before);
                System.out.printf(
                        "%d frames, seed %d%nbefore %s%nafter  %s%n", sent, SEED, before, after);
            } catch (AssertionError | IOException e) {
                throw new AssertionError("with seed " + SEED + " after " + sent + " frames", e);
            }
            try (var another = DeviceClient.enter(DeviceClient.pair(server))) {
                assertResponds(another);
            }
            assertThat(server.output())
                    .doesNotContain("\tat ")
                    .doesNotContain("Exception")
                    .doesNotContain("OutOfMemory");
        }
    }

    private static void assertResponds(DeviceClient device) {
        device.send("heartbeat_ping", "h", Map.of());
        device.await("heartbeat_pong");
    }

    /** Waits until sockets and threads have terminated. */
    private static ResourceUsage awaitReleased(AshServer server, ResourceUsage before) {
        return await().atMost(Duration.ofSeconds(60))
                .pollInterval(Duration.ofSeconds(1))
                .until(
                        () -> ResourceUsage.of(server.process().pid()),
                        now ->
                                now.files() <= before.files() + 5
                                        && now.threads() <= before.threads() + 5
                                        && now.sockets() <= before.sockets()
                                        && now.virtualThreads() <= before.virtualThreads() + 10
                                        && now.bytes() <= before.bytes() + MAX_EXTRA_BYTES);
    }

    /** Sends about {@code count} texts and a few frames of each other kind. */
    private void round(DeviceClient.Pairing pairing, int count) throws IOException {
        try (var device = new FuzzConnection(pairing)) {
            for (int i = 0; i < count; i += BATCH) {
                batch(device);
            }
            almostTooLong(device);
        }
        for (int i = 0; i < BATCH / 2; i++) {
            broken(pairing, frames.next());
            beforeAuth(pairing);
        }
        for (var huge : FuzzFrames.huge()) {
            broken(pairing, huge);
        }
        noise(pairing);
    }

    private void batch(FuzzConnection device) throws IOException {
        for (int i = 0; i < BATCH; i++) {
            sent++;
            if (random.nextBoolean()) {
                device.malformed(texts.malformed());
            } else {
                var id = "c-" + sent;
                device.request(id, texts.changed(id));
            }
        }
        var id = "parts-" + sent;
        device.request(id, parts("{\"type\":\"heartbeat_ping\",\"id\":\"" + id + "\"}"));
        device.awaitAnswers();
    }

    /** Returns a valid message in fragments of one byte each. */
    private byte[] parts(String text) {
        var bytes = text.getBytes(UTF_8);
        var all = new ByteArrayOutputStream();
        for (int i = 0; i < bytes.length; i++) {
            int opcode = i == 0 ? RawSocket.TEXT : RawSocket.CONTINUATION;
            int fin = i == bytes.length - 1 ? RawSocket.FIN : 0;
            all.writeBytes(RawSocket.frame(fin | opcode, new byte[] {bytes[i]}));
        }
        sent++;
        return all.toByteArray();
    }

    private void almostTooLong(FuzzConnection device) throws IOException {
        device.malformed("{\"type\":\"" + "x".repeat(ALMOST_TOO_LONG));
        device.request(
                "long",
                "{\"type\":\"heartbeat_ping\",\"id\":\"long\",\"payload\":{\"a\":\"%s\"}}"
                        .formatted("x".repeat(ALMOST_TOO_LONG)));
        device.malformed(
                "{\"type\":\"history_request\",\"payload\":{\"session_id\":\"x\",\"after\":%s}}"
                        .formatted("9".repeat(ALMOST_TOO_LONG)));
        sent += 3;
        device.awaitAnswers();
    }

    /** Checks that a broken frame closes its connection, before or after authentication. */
    private void broken(DeviceClient.Pairing pairing, FuzzFrames.Broken broken) throws IOException {
        sent += broken.frames();
        boolean authenticated = random.nextBoolean();
        try (var socket = RawSocket.connect(pairing, DEFLATE)) {
            if (authenticated) {
                socket.text(FuzzConnection.auth(pairing));
                socket.read();
            }
            assertThat(status(socket, broken)).as(broken.what()).isIn(broken.statuses());
        } catch (IOException e) {
            throw new AssertionError("%s, authenticated: %s".formatted(broken, authenticated), e);
        }
    }

    private static int status(RawSocket socket, FuzzFrames.Broken broken) throws IOException {
        try {
            socket.write(broken.bytes());
        } catch (IOException e) {
            // The server need not read all of it.
        }
        var message = socket.read();
        while (message.opcode() != RawSocket.CLOSE) {
            message = socket.read();
        }
        return message.status();
    }

    private void beforeAuth(DeviceClient.Pairing pairing) throws IOException {
        var text = random.nextBoolean() ? texts.malformed() : texts.changed("c");
        if (text.contains("\"auth\"")) {
            return; // wrong tokens would trigger the rate limit
        }
        sent++;
        try (var socket = RawSocket.connect(pairing)) {
            var bytes = text.getBytes(UTF_8);
            if (bytes.length > DeviceLimitsTest.MAX_UNAUTHENTICATED) {
                var frame = RawSocket.frame(RawSocket.FIN | RawSocket.TEXT, bytes);
                DeviceLimitsTest.assertTooLarge(socket, frame);
                return;
            }
            socket.text(text);
            assertThat(socket.read().text()).contains("connection_error", "AUTH_FAILED");
            assertThat(socket.read().opcode()).isEqualTo(RawSocket.CLOSE);
        }
    }

    /** Sends bytes that are not TLS, and drops a connection in the middle of a frame. */
    private void noise(DeviceClient.Pairing pairing) throws IOException {
        var url = URI.create(pairing.url());
        try (var plain = new Socket(url.getHost(), url.getPort())) {
            var bytes = new byte[1000];
            random.nextBytes(bytes);
            plain.getOutputStream().write(bytes);
        }
        try (var socket = RawSocket.connect(pairing)) {
            socket.text(FuzzConnection.auth(pairing));
            socket.write(RawSocket.head(RawSocket.FIN | RawSocket.TEXT, 0x80, 1_000_000));
        }
    }
}

package dev.ash.e2e.gateway;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.WebSocket;
import java.security.MessageDigest;
import java.security.SecureRandom;
import java.security.cert.CertificateException;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Predicate;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManager;
import javax.net.ssl.X509TrustManager;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * A device client written from the published protocol, without code of the product. It trusts only
 * the certificate with the given fingerprint.
 */
public final class DeviceClient implements AutoCloseable {
    private static final JsonMapper MAPPER = new JsonMapper();
    private static final Duration TIMEOUT = Duration.ofSeconds(60);
    private static final AtomicLong IDS = new AtomicLong();

    private final HttpClient http;
    private final WebSocket socket;
    private final BlockingQueue<JsonNode> frames = new LinkedBlockingQueue<>();
    private final List<JsonNode> skipped = new ArrayList<>();
    private final CompletableFuture<Integer> closed = new CompletableFuture<>();

    private DeviceClient(HttpClient http, WebSocket.Builder builder, URI url) {
        this.http = http;
        try {
            this.socket = builder.buildAsync(url, new Listener()).get(30, TimeUnit.SECONDS);
        } catch (ExecutionException e) {
            http.close();
            throw new IllegalStateException(e.getCause());
        } catch (Exception e) {
            http.close();
            throw new IllegalStateException(e);
        }
    }

    /** The pairing data that a user creates for a device. */
    public record Pairing(String id, String url, String token, String fingerprint) {}

    public static Pairing pair(dev.ash.e2e.AshServer server) {
        return pair(server.api(), "phone");
    }

    public static Pairing pair(dev.ash.e2e.Api api, String name) {
        var answer = api.post("/api/devices", Map.of("name", name));
        var pairing = answer.expect(201).json().path("pairing");
        return new Pairing(
                pairing.path("deviceId").asString(),
                pairing.path("url").asString(),
                pairing.path("token").asString(),
                pairing.path("fingerprint").asString());
    }

    /** Connects without authenticating. */
    public static DeviceClient connect(Pairing pairing) {
        return connect(URI.create(pairing.url()), pairing.fingerprint(), Map.of());
    }

    public static DeviceClient connect(URI url, String fingerprint, Map<String, String> headers) {
        var http = HttpClient.newBuilder().sslContext(trusting(fingerprint)).build();
        var builder = http.newWebSocketBuilder().connectTimeout(Duration.ofSeconds(30));
        headers.forEach(builder::header);
        return new DeviceClient(http, builder, url);
    }

    /** Connects and authenticates. */
    public static DeviceClient enter(Pairing pairing, String... capabilities) {
        var client = connect(pairing);
        client.auth(pairing.token(), capabilities);
        return client;
    }

    /** Returns the payload of {@code connection_ack}. */
    public JsonNode auth(String token, String... capabilities) {
        var ack =
                request(
                        "auth",
                        Map.of(
                                "token",
                                token,
                                "client_version",
                                "1.0.0",
                                "platform",
                                "ios",
                                "client_capabilities",
                                List.of(capabilities)));
        assertThat(ack.path("type").asString()).as("%s", ack).isEqualTo("connection_ack");
        return ack.path("payload");
    }

    /** Returns the status of an HTTPS request to the device listener. */
    public static int get(Pairing pairing, String path) {
        var url = URI.create(pairing.url().replaceFirst("wss", "https")).resolve(path);
        try (var http =
                HttpClient.newBuilder().sslContext(trusting(pairing.fingerprint())).build()) {
            return http.send(
                            HttpRequest.newBuilder(url).build(),
                            HttpResponse.BodyHandlers.discarding())
                    .statusCode();
        } catch (java.io.IOException | InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    private final class Listener implements WebSocket.Listener {
        private final StringBuilder text = new StringBuilder();

        @Override
        public CompletionStage<?> onText(WebSocket ws, CharSequence data, boolean last) {
            text.append(data);
            if (last) {
                frames.add(MAPPER.readTree(text.toString()));
                text.setLength(0);
            }
            ws.request(1);
            return null;
        }

        @Override
        public CompletionStage<?> onClose(WebSocket ws, int status, String reason) {
            closed.complete(status);
            return null;
        }

        @Override
        public void onError(WebSocket ws, Throwable error) {
            closed.complete(-1);
        }
    }

    public void send(String type, String id, Object payload) {
        sendText(MAPPER.writeValueAsString(Map.of("type", type, "id", id, "payload", payload)));
    }

    public void sendText(String text) {
        socket.sendText(text, true).join();
    }

    public WebSocket socket() {
        return socket;
    }

    /** Sends a request and returns the frame that repeats its id. */
    public JsonNode request(String type, Object payload) {
        var id = type + "-" + IDS.incrementAndGet();
        send(type, id, payload);
        return await(type, frame -> frame.path("id").asString("").equals(id));
    }

    /** Returns the next frame of this type; earlier frames can still be awaited. */
    public JsonNode await(String type) {
        return await(type, frame -> frame.path("type").asString().equals(type));
    }

    public JsonNode await(String what, Predicate<JsonNode> wanted) {
        for (var frame : skipped) {
            if (wanted.test(frame)) {
                skipped.remove(frame);
                return frame;
            }
        }
        long end = System.nanoTime() + TIMEOUT.toNanos();
        while (true) {
            var frame = next(Duration.ofNanos(end - System.nanoTime()));
            assertThat(frame)
                    .as("timed out waiting for %s; received: %s", what, skipped)
                    .isNotNull();
            if (wanted.test(frame)) {
                return frame;
            }
            skipped.add(frame);
        }
    }

    /** Returns the next frame, or null after the timeout. */
    public JsonNode next(Duration wait) {
        try {
            return frames.poll(Math.max(0, wait.toMillis()), TimeUnit.MILLISECONDS);
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    /** Returns received frames that were not awaited. */
    public List<JsonNode> rest() {
        frames.drainTo(skipped);
        return List.copyOf(skipped);
    }

    /** Returns the close status of the server, or -1 for a lost connection. */
    public int awaitClose() {
        return closed.orTimeout(TIMEOUT.toSeconds(), TimeUnit.SECONDS).join();
    }

    /** Aborts the connection without a close frame. */
    public void drop() {
        socket.abort();
        http.shutdownNow();
    }

    @Override
    public void close() {
        drop();
        http.close();
    }

    static SSLContext trusting(String fingerprint) {
        try {
            var context = SSLContext.getInstance("TLS");
            context.init(null, new TrustManager[] {new Pinned(fingerprint)}, new SecureRandom());
            return context;
        } catch (java.security.GeneralSecurityException e) {
            throw new IllegalStateException(e);
        }
    }

    private record Pinned(String fingerprint) implements X509TrustManager {
        @Override
        public void checkClientTrusted(X509Certificate[] chain, String kind) {}

        @Override
        public void checkServerTrusted(X509Certificate[] chain, String kind)
                throws CertificateException {
            try {
                var digest = MessageDigest.getInstance("SHA-256").digest(chain[0].getEncoded());
                if (!HexFormat.of().formatHex(digest).equals(fingerprint)) {
                    throw new CertificateException(
                            "certificate does not match the fingerprint of the pairing");
                }
            } catch (java.security.NoSuchAlgorithmException e) {
                throw new CertificateException(e);
            }
        }

        @Override
        public X509Certificate[] getAcceptedIssuers() {
            return new X509Certificate[0];
        }
    }
}

package dev.ash.e2e.conformance;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.InetAddress;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.WebSocket;
import java.security.GeneralSecurityException;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.TrustManager;
import javax.net.ssl.X509ExtendedTrustManager;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** A WebSocket of document 004's mobile app. It accepts any certificate. */
final class DeviceSocket implements AutoCloseable {
    private static final JsonMapper MAPPER = new JsonMapper();
    private static final Duration TIMEOUT = Duration.ofSeconds(30);

    private final HttpClient http;
    private final WebSocket socket;
    private final BlockingQueue<JsonNode> frames = new LinkedBlockingQueue<>();
    private final List<JsonNode> skipped = new ArrayList<>();
    private final CompletableFuture<Integer> closed = new CompletableFuture<>();

    private DeviceSocket(HttpClient http, WebSocket.Builder builder, String url) {
        this.http = http;
        try {
            socket =
                    builder.buildAsync(URI.create(url), new Listener())
                            .get(TIMEOUT.toSeconds(), TimeUnit.SECONDS);
        } catch (Exception e) {
            http.shutdownNow();
            throw new AssertionError("cannot connect to " + url, e);
        }
    }

    static DeviceSocket open(String url) {
        return open(url, "127.0.0.1", Map.of());
    }

    /** {@code from} is the local address, which selects the connection mode. */
    static DeviceSocket open(String url, String from, Map<String, String> headers) {
        var http =
                HttpClient.newBuilder()
                        .sslContext(trustAll())
                        .localAddress(InetAddress.ofLiteral(from))
                        .build();
        var builder = http.newWebSocketBuilder().connectTimeout(TIMEOUT);
        headers.forEach(builder::header);
        return new DeviceSocket(http, builder, url);
    }

    void send(String frame) {
        socket.sendText(frame, true).join();
    }

    /** Sends a request and returns the frame that repeats its id. */
    JsonNode ask(String frame) {
        var id = MAPPER.readTree(frame).path("id").asString();
        send(frame);
        return awaitId(id);
    }

    JsonNode awaitId(String id) {
        return await("a frame with id " + id, frame -> frame.path("id").asString("").equals(id));
    }

    JsonNode await(String type) {
        return await(type, frame -> frame.path("type").asString().equals(type));
    }

    JsonNode await(String type, String session) {
        return await(type + " of " + session, is(type, session));
    }

    static Predicate<JsonNode> is(String type, String session) {
        return frame ->
                frame.path("type").asString().equals(type)
                        && frame.at("/payload/session_id").asString("").equals(session);
    }

    /** Returns the next matching frame; frames before it can still be awaited. */
    JsonNode await(String expected, Predicate<JsonNode> matches) {
        for (var frame : skipped) {
            if (matches.test(frame)) {
                skipped.remove(frame);
                return frame;
            }
        }
        while (true) {
            var frame = next();
            assertThat(frame).as("expected %s, received %s", expected, skipped).isNotNull();
            if (matches.test(frame)) {
                return frame;
            }
            skipped.add(frame);
        }
    }

    /** Returns all frames up to the first matching one, in order. */
    List<JsonNode> until(Predicate<JsonNode> last) {
        var all = new ArrayList<>(skipped);
        skipped.clear();
        while (all.isEmpty() || !last.test(all.getLast())) {
            var frame = next();
            assertThat(frame).as("last frame after %s", all).isNotNull();
            all.add(frame);
        }
        return all;
    }

    private JsonNode next() {
        try {
            return frames.poll(TIMEOUT.toMillis(), TimeUnit.MILLISECONDS);
        } catch (InterruptedException e) {
            throw new AssertionError("interrupted", e);
        }
    }

    /** Waits until the server has closed the connection. */
    void awaitClose() {
        assertThat(closed.orTimeout(TIMEOUT.toSeconds(), TimeUnit.SECONDS).join()).isNotZero();
    }

    /** Drops the connection without a close frame. */
    @Override
    public void close() {
        socket.abort();
        http.shutdownNow();
    }

    private final class Listener implements WebSocket.Listener {
        private final StringBuilder text = new StringBuilder();

        @Override
        public CompletionStage<?> onText(WebSocket from, CharSequence data, boolean last) {
            text.append(data);
            if (last) {
                frames.add(MAPPER.readTree(text.toString()));
                text.setLength(0);
            }
            from.request(1);
            return null;
        }

        @Override
        public CompletionStage<?> onClose(WebSocket from, int status, String reason) {
            closed.complete(status);
            return null;
        }

        @Override
        public void onError(WebSocket from, Throwable error) {
            closed.complete(-1);
        }
    }

    private static SSLContext trustAll() {
        try {
            var context = SSLContext.getInstance("TLS");
            context.init(null, new TrustManager[] {new TrustAll()}, null);
            return context;
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException(e);
        }
    }

    private static final class TrustAll extends X509ExtendedTrustManager {
        @Override
        public void checkClientTrusted(X509Certificate[] chain, String type) {}

        @Override
        public void checkClientTrusted(X509Certificate[] chain, String type, Socket socket) {}

        @Override
        public void checkClientTrusted(X509Certificate[] chain, String type, SSLEngine engine) {}

        @Override
        public void checkServerTrusted(X509Certificate[] chain, String type) {}

        @Override
        public void checkServerTrusted(X509Certificate[] chain, String type, Socket socket) {}

        @Override
        public void checkServerTrusted(X509Certificate[] chain, String type, SSLEngine engine) {}

        @Override
        public X509Certificate[] getAcceptedIssuers() {
            return new X509Certificate[0];
        }
    }
}

package dev.ash.bench.server;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.WebSocket;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.security.SecureRandom;
import java.security.cert.CertificateException;
import java.security.cert.X509Certificate;
import java.util.HexFormat;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManager;
import javax.net.ssl.X509TrustManager;
import org.jspecify.annotations.Nullable;

/** A device that follows one session and records the latency of each event of the stand-in. */
public final class BenchDevice implements WebSocket.Listener {
    private static final int TIMEOUT_SECONDS = 60;
    private static final Pattern WRITTEN = Pattern.compile("alone (\\d+)");

    private final StringBuilder text = new StringBuilder();
    private final CountDownLatch following = new CountDownLatch(1);
    private final WebSocket socket;
    private volatile Expected expected = new Expected(0);

    /** A number of expected events, and the nanoseconds from the write to the arrival of each. */
    private static final class Expected {
        private final long[] nanos;
        private final CountDownLatch complete = new CountDownLatch(1);
        private int next;

        private Expected(int count) {
            nanos = new long[count];
        }

        private void recordArrival(long written, long read) {
            if (next < nanos.length) {
                nanos[next++] = read - written;
                if (next == nanos.length) {
                    complete.countDown();
                }
            }
        }
    }

    /** The response to a pairing request. */
    private record Pairing(String answer) {
        private String field(String name) throws IOException {
            var found = Pattern.compile("\"" + name + "\":\"([^\"]+)\"").matcher(answer);
            if (!found.find()) {
                throw new IOException("no " + name + " in " + answer);
            }
            return found.group(1);
        }
    }

    private BenchDevice(HttpClient client, Pairing pairing, String session) throws IOException {
        socket =
                client.newWebSocketBuilder()
                        .buildAsync(URI.create(pairing.field("url")), this)
                        .join();
        send(
                "auth",
                "\"token\":\"%s\",\"client_version\":\"1.0.0\"".formatted(pairing.field("token")));
        send("session_start", "\"session_id\":\"%s\",\"resume\":true".formatted(session));
    }

    public static BenchDevice follow(BenchServer server, HttpClient client, String session)
            throws IOException, InterruptedException {
        var pairing = new Pairing(server.post("/api/devices", "{\"name\":\"bench\"}"));
        var device = new BenchDevice(client, pairing, session);
        if (!device.following.await(TIMEOUT_SECONDS, TimeUnit.SECONDS)) {
            throw new IOException("a device could not connect");
        }
        return device;
    }

    /** Returns a client for all devices, which trusts only the certificate of this server. */
    public static HttpClient client(BenchServer server) throws IOException, InterruptedException {
        var pairing = new Pairing(server.post("/api/devices", "{\"name\":\"first\"}"));
        try {
            var context = SSLContext.getInstance("TLS");
            var pinned = new TrustManager[] {new Pinned(pairing.field("fingerprint"))};
            context.init(null, pinned, new SecureRandom());
            return HttpClient.newBuilder().sslContext(context).build();
        } catch (GeneralSecurityException e) {
            throw new IOException(e);
        }
    }

    private void send(String type, String payload) {
        socket.sendText(
                        "{\"type\":\"%s\",\"id\":\"%s\",\"payload\":{%s}}"
                                .formatted(type, type, payload),
                        true)
                .join();
    }

    @Override
    public @Nullable CompletionStage<?> onText(WebSocket from, CharSequence data, boolean last) {
        text.append(data);
        if (last) {
            handle(text.toString());
            text.setLength(0);
        }
        from.request(1);
        return null;
    }

    private void handle(String frame) {
        if (frame.startsWith("{\"type\":\"stream_chunk\"")) {
            long now = System.nanoTime();
            var events = WRITTEN.matcher(frame);
            while (events.find()) { // a frame can contain the text of several events
                expected.recordArrival(Long.parseLong(events.group(1)), now);
            }
        } else if (frame.startsWith("{\"type\":\"session_ready\"")) {
            following.countDown();
        }
    }

    /** Sets the number of expected events; called before the prompt is sent. */
    public void expect(int count) {
        expected = new Expected(count);
    }

    /** Waits for the expected events; returns the nanoseconds from the bridge's write of each. */
    public long[] await() throws IOException, InterruptedException {
        var expectation = expected;
        if (!expectation.complete.await(TIMEOUT_SECONDS, TimeUnit.SECONDS)) {
            throw new IOException(
                    "received %d of %d events"
                            .formatted(expectation.next, expectation.nanos.length));
        }
        return expectation.nanos;
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
                    throw new CertificateException("the certificate is not that of the server");
                }
            } catch (NoSuchAlgorithmException e) {
                throw new CertificateException(e);
            }
        }

        @Override
        public X509Certificate[] getAcceptedIssuers() {
            return new X509Certificate[0];
        }
    }
}

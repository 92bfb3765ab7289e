package dev.ash.bench;

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

/** A device that follows one session and notes when each piece of text came. */
public final class BenchDevice implements WebSocket.Listener {
    private static final int PATIENCE_SECONDS = 60;

    private final StringBuilder text = new StringBuilder();
    private final CountDownLatch follows = new CountDownLatch(1);
    private final WebSocket socket;
    private volatile Expected expected = new Expected(0);

    /** So many pieces, and when they were read. */
    private static final class Expected {
        private final long[] read;
        private final CountDownLatch all = new CountDownLatch(1);
        private int next;

        private Expected(int count) {
            read = new long[count];
        }

        private void came() {
            if (next < read.length) {
                read[next++] = System.nanoTime();
                if (next == read.length) {
                    all.countDown();
                }
            }
        }
    }

    /** What a person makes for a device. */
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
        say(
                "auth",
                "\"token\":\"%s\",\"client_version\":\"1.0.0\"".formatted(pairing.field("token")));
        say("session_start", "\"session_id\":\"%s\",\"resume\":true".formatted(session));
    }

    static BenchDevice follow(BenchServer server, HttpClient client, String session)
            throws IOException, InterruptedException {
        var pairing = new Pairing(server.post("/api/devices", "{\"name\":\"bench\"}"));
        var device = new BenchDevice(client, pairing, session);
        if (!device.follows.await(PATIENCE_SECONDS, TimeUnit.SECONDS)) {
            throw new IOException("a device was not let in");
        }
        return device;
    }

    /** One for all devices, which trusts the server's own certificate. */
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

    private void say(String type, String payload) {
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
            take(text.toString());
            text.setLength(0);
        }
        from.request(1);
        return null;
    }

    private void take(String frame) {
        if (frame.startsWith("{\"type\":\"stream_chunk\"")) {
            expected.came();
        } else if (frame.startsWith("{\"type\":\"session_ready\"")) {
            follows.countDown();
        }
    }

    /** Said before the session is asked. */
    void expect(int pieces) {
        expected = new Expected(pieces);
    }

    /** When each of them was read. */
    long[] await() throws IOException, InterruptedException {
        var waited = expected;
        if (!waited.all.await(PATIENCE_SECONDS, TimeUnit.SECONDS)) {
            throw new IOException(
                    "%d of %d pieces came".formatted(waited.next, waited.read.length));
        }
        return waited.read;
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
                    throw new CertificateException("another certificate than the server's");
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

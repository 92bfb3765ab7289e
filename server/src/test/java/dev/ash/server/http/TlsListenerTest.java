package dev.ash.server.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.ash.protocol.json.RawJson;
import dev.ash.server.identity.TestIdentities;
import dev.ash.server.tls.Certificates;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLException;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.TrustManager;
import javax.net.ssl.X509TrustManager;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The REST listener over TLS, on real sockets. */
class TlsListenerTest {
    @TempDir static Path data;

    private static final CountDownLatch FINISH = new CountDownLatch(1);
    private static Certificates certificates;
    private static HttpServer server;
    private static int port;

    @BeforeAll
    static void start() throws Exception {
        certificates =
                new Certificates(
                        data,
                        List.of("password"),
                        Optional.empty(),
                        Optional.empty(),
                        Duration.ofDays(1));
        server =
                new HttpServer(
                        TestServer.config(Duration.ofSeconds(30), Set.of(), Set.of()),
                        TestIdentities.none(),
                        List.of(
                                Endpoint.get("/x")
                                        .open()
                                        .handledBy(x -> x.respond(200, Map.of("status", "ok"))),
                                Endpoint.get("/stream").open().handledBy(TlsListenerTest::stream)),
                        Sockets.NONE,
                        Optional.of(certificates.rest()));
        port = server.start();
    }

    @AfterAll
    static void stop() {
        FINISH.countDown();
        server.close();
        certificates.close();
    }

    private static void stream(Exchange exchange) throws Exception {
        var stream = exchange.sse();
        stream.frame("first", RawJson.of("{}"));
        assertThat(FINISH.await(1, TimeUnit.MINUTES)).isTrue();
        stream.frame("second", RawJson.of("{}"));
    }

    private static SSLSocket connect(String... protocols) throws Exception {
        var context = SSLContext.getInstance("TLS");
        context.init(null, new TrustManager[] {new TrustAll()}, null);
        var socket =
                (SSLSocket)
                        context.getSocketFactory()
                                .createSocket(InetAddress.getLoopbackAddress(), port);
        socket.setSoTimeout(30_000);
        if (protocols.length > 0) {
            socket.setEnabledProtocols(protocols);
        }
        try {
            socket.startHandshake();
        } catch (IOException e) {
            socket.close();
            throw e;
        }
        return socket;
    }

    private static BufferedReader get(SSLSocket socket, String path) throws IOException {
        socket.getOutputStream()
                .write(
                        "GET %s HTTP/1.1\r\nHost: localhost\r\n\r\n"
                                .formatted(path)
                                .getBytes(StandardCharsets.US_ASCII));
        return new BufferedReader(
                new InputStreamReader(socket.getInputStream(), StandardCharsets.UTF_8));
    }

    private static String fingerprint(SSLSocket socket) throws Exception {
        var certificate = socket.getSession().getPeerCertificates()[0];
        return HexFormat.of()
                .formatHex(MessageDigest.getInstance("SHA-256").digest(certificate.getEncoded()));
    }

    private static void readUntil(BufferedReader reader, String text) throws IOException {
        for (var line = reader.readLine(); ; line = reader.readLine()) {
            assertThat(line).as("before " + text).isNotNull();
            if (line.contains(text)) {
                return;
            }
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"TLSv1.2", "TLSv1.3"})
    void respondsOverTls(String protocol) throws Exception {
        try (var socket = connect(protocol)) {
            assertThat(get(socket, "/x").readLine()).isEqualTo("HTTP/1.1 200 OK");
            assertThat(fingerprint(socket))
                    .isEqualTo(certificates.fingerprints().rest().orElseThrow());
        }
    }

    /**
     * Sends the first handshake message manually, because the JDK's client rejects old versions.
     */
    @ParameterizedTest
    @ValueSource(ints = {0, 1, 2})
    void rejectsVersionsBeforeTls12(int minor) throws Exception {
        var reply = hello(minor);

        assertThat(reply[0]).as("an alert").isEqualTo((byte) 21);
        assertThat(reply[6]).as("protocol_version").isEqualTo((byte) 70);
        assertThat(hello(3)[0]).as("a handshake message for TLS 1.2").isEqualTo((byte) 22);
    }

    private static byte[] hello(int minor) throws IOException {
        var body = "030" + minor + "11".repeat(32) + "00" + "0004c02bc009" + "0100";
        var message = "01%06x".formatted(body.length() / 2) + body;
        var sent = "160301%04x".formatted(message.length() / 2) + message;
        try (var socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
            socket.setSoTimeout(30_000);
            socket.getOutputStream().write(HexFormat.of().parseHex(sent));
            return socket.getInputStream().readNBytes(7);
        }
    }

    @Test
    void rejectsPlainHttpWithMessage() throws Exception {
        for (var request :
                List.of(
                        "GET /x HTTP/1.1\r\nHost: localhost\r\n\r\n",
                        "POST /x HTTP/1.1\r\nHost: localhost\r\nContent-Length: 2\r\n\r\n{}")) {
            try (var client = new RawClient(port)) {
                var rejected = client.send(request).response();

                assertThat(rejected.status()).isEqualTo(400);
                assertThat(rejected.body()).contains("This port requires TLS: use https://");
                assertThat(rejected.header("Connection")).isEqualTo("close");
            }
        }
    }

    @Test
    void keepsOpenStreamsAndUsesNewCertificateAfterRotation() throws Exception {
        var before = certificates.fingerprints().rest().orElseThrow();
        try (var open = connect()) {
            var events = get(open, "/stream");
            readUntil(events, "event: first");

            var after = certificates.rotate().rest().orElseThrow();

            assertThat(after).isNotEqualTo(before);
            try (var next = connect()) {
                assertThat(fingerprint(next)).isEqualTo(after);
                assertThat(get(next, "/x").readLine()).isEqualTo("HTTP/1.1 200 OK");
            }
            FINISH.countDown();
            readUntil(events, "event: second");
            assertThat(fingerprint(open)).isEqualTo(before);
        }
    }

    @Test
    void untrustingClientsAbortHandshake() throws Exception {
        var context = SSLContext.getInstance("TLS");
        context.init(null, null, null);
        try (var socket =
                context.getSocketFactory().createSocket(InetAddress.getLoopbackAddress(), port)) {
            assertThatThrownBy(((SSLSocket) socket)::startHandshake)
                    .isInstanceOf(SSLException.class);
        }
    }

    /** Accepts all certificates; tests compare them explicitly. */
    private static final class TrustAll implements X509TrustManager {
        @Override
        public void checkClientTrusted(X509Certificate[] chain, String authType) {}

        @Override
        public void checkServerTrusted(X509Certificate[] chain, String authType) {}

        @Override
        public X509Certificate[] getAcceptedIssuers() {
            return new X509Certificate[0];
        }
    }
}

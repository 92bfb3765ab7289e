package dev.ash.sdk;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import org.junit.jupiter.api.Test;

class HttpTransportTest {
    private static final String HEALTH = "{\"status\":\"ok\",\"version\":\"9\",\"new\":[1]}";

    private static String status(FakeServer server) {
        return server.client().health().status();
    }

    @Test
    void readsFixedLengthBodyAndIgnoresUnknownFields() throws IOException {
        try (var server = FakeServer.responding(200, HEALTH)) {
            assertThat(status(server)).isEqualTo("ok");

            var request = server.requests().getFirst();
            assertThat(request.line()).isEqualTo("GET /health HTTP/1.1");
            assertThat(request.headers())
                    .contains("Authorization: Bearer ash_key", "Connection: close");
        }
    }

    @Test
    void readsChunkedBodyWithExtensionsAndTrailers() throws IOException {
        var middle = HEALTH.length() - 10;
        try (var server =
                FakeServer.sending(
                        "HTTP/1.1 200 OK\r\ntransfer-encoding: Chunked\r\n\r\n"
                                + "a;x=y\r\n"
                                + HEALTH.substring(0, 10)
                                + "\r\n"
                                + Integer.toHexString(middle)
                                + "\r\n"
                                + HEALTH.substring(10)
                                + "\r\n0\r\nTrailer: x\r\n\r\n")) {
            assertThat(status(server)).isEqualTo("ok");
        }
    }

    @Test
    void readsBodyThatEndsWithTheConnection() throws IOException {
        try (var server = FakeServer.sending("HTTP/1.1 200 OK\r\n\r\n" + HEALTH)) {
            assertThat(status(server)).isEqualTo("ok");
        }
    }

    @Test
    void skipsInterimResponses() throws IOException {
        try (var server =
                FakeServer.sending(
                        "HTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\nHTTP/1.1 200 OK\r\n\r\n"
                                + HEALTH)) {
            assertThat(status(server)).isEqualTo("ok");
        }
    }

    @Test
    void acceptsResponseWithoutBody() throws IOException {
        try (var server = FakeServer.sending("HTTP/1.1 204 No Content\r\n\r\n")) {
            server.client().agents().delete("hello");

            assertThat(server.requests().getFirst().line())
                    .isEqualTo("DELETE /api/agents/hello HTTP/1.1");
        }
    }

    @Test
    void failsOnTruncatedChunkedBody() throws IOException {
        try (var server =
                FakeServer.sending(
                        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\n{\"sta")) {
            assertThatThrownBy(() -> status(server))
                    .isInstanceOf(ConnectionLostException.class)
                    .hasMessageContaining("truncated");
        }
    }

    @Test
    void failsOnTruncatedFixedLengthBody() throws IOException {
        try (var server = FakeServer.sending("HTTP/1.1 200 OK\r\nContent-Length: 99\r\n\r\n{}")) {
            assertThatThrownBy(() -> status(server))
                    .isInstanceOf(ConnectionLostException.class)
                    .hasMessageContaining("truncated, 97 bytes missing");
        }
    }

    @Test
    void failsOnEmptyResponse() throws IOException {
        try (var server = FakeServer.sending("")) {
            assertThatThrownBy(() -> status(server))
                    .isInstanceOf(ConnectionLostException.class)
                    .hasMessageContaining("without a response");
        }
    }

    @Test
    void failsOnReadTimeout() throws IOException {
        try (var listener = new ServerSocket(0, 5, InetAddress.getLoopbackAddress())) {
            var client =
                    new AshClient(
                            "http://localhost:" + listener.getLocalPort(),
                            null,
                            Duration.ofSeconds(1),
                            Duration.ofMillis(50));

            assertThatThrownBy(client::health)
                    .isInstanceOf(ConnectionLostException.class)
                    .hasMessageContaining("GET /health");
        }
    }

    @Test
    void rejectsOtherProtocols() throws IOException {
        try (var server = FakeServer.sending("SSH-2.0-OpenSSH_9.2\r\n")) {
            assertThatThrownBy(() -> status(server))
                    .isInstanceOf(ConnectionLostException.class)
                    .hasMessageContaining("not an HTTP response: SSH-2.0");
        }
    }

    @Test
    void rejectsEndlessHead() throws IOException {
        try (var server = new FakeServer((_, out) -> endless(out))) {
            assertThatThrownBy(() -> status(server)).hasMessageContaining("head exceeds");
        }
    }

    private static void endless(OutputStream out) throws IOException {
        out.write("HTTP/1.1 200 OK\r\n".getBytes(StandardCharsets.US_ASCII));
        var header = ("X: " + "y".repeat(1000) + "\r\n").getBytes(StandardCharsets.US_ASCII);
        while (true) {
            out.write(header); // until the client closes the connection
        }
    }

    @Test
    void rejectsHugeResponse() throws IOException {
        try (var server = new FakeServer((_, out) -> huge(out))) {
            assertThatThrownBy(() -> status(server)).hasMessageContaining("exceeds");
        }
    }

    private static void huge(OutputStream out) throws IOException {
        out.write("HTTP/1.1 200 OK\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
        var block = new byte[1024 * 1024];
        while (true) {
            out.write(block); // until the client closes the connection
        }
    }

    @Test
    void reportsErrorSentBeforeTheBodyIsRead() throws IOException {
        try (var listener = new ServerSocket(0, 5, InetAddress.getLoopbackAddress())) {
            Thread.ofVirtual().start(() -> rejectUnread(listener));
            var client = new AshClient("http://localhost:" + listener.getLocalPort(), null);

            assertThatThrownBy(
                            () -> client.sessions().uploadWorkspace("s", new byte[8 * 1024 * 1024]))
                    .isInstanceOfSatisfying(
                            AshApiException.class,
                            error -> assertThat(error.status()).isEqualTo(413))
                    .hasMessage("too large");
        }
    }

    private static void rejectUnread(ServerSocket listener) {
        try (var socket = listener.accept()) {
            socket.getOutputStream()
                    .write("HTTP/1.1 413 X\r\n\r\n{\"error\":\"too large\"}".getBytes());
            socket.shutdownOutput();
            socket.getInputStream().skipNBytes(1024 * 1024);
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    @Test
    void explainsHowToStartTheServer() throws IOException {
        int port;
        try (var listener = new ServerSocket(0, 5, InetAddress.getLoopbackAddress())) {
            port = listener.getLocalPort();
        }
        assertThatThrownBy(() -> new AshClient("http://localhost:" + port, null).health())
                .isInstanceOf(ServerUnreachableException.class)
                .hasMessageContaining("http://localhost:" + port)
                .hasMessageContaining("ash start");
    }

    @Test
    void reportsUnknownHost() {
        assertThatThrownBy(() -> new AshClient("http://nowhere.invalid", null).health())
                .isInstanceOf(ServerUnreachableException.class)
                .hasMessageContaining("unknown host");
    }

    @Test
    void failsWhenHttpsServerDoesNotSupportTls() throws IOException {
        try (var listener = new ServerSocket(0, 5, InetAddress.getLoopbackAddress())) {
            Thread.ofVirtual().start(() -> respondInPlainHttp(listener));
            var secure = "https://localhost:" + listener.getLocalPort();

            assertThatThrownBy(() -> new AshClient(secure, null).health())
                    .isInstanceOf(UntrustedServerException.class)
                    .hasMessageContaining("does not support TLS");
        }
    }

    private static void respondInPlainHttp(ServerSocket listener) {
        try (var socket = listener.accept()) {
            socket.getOutputStream().write("HTTP/1.1 400 X\r\n\r\n".getBytes());
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }
}

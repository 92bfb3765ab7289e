package dev.ash.sdk;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import org.eclipse.jetty.http.HttpCompliance;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests malformed, truncated and endless responses, with Jetty's parser as the reference. */
class HostileServerTest {
    /** Set with {@code -Dash.fuzz.rounds=…} and {@code -Dash.fuzz.seed=…}. */
    private static final int ROUNDS = Integer.getInteger("ash.fuzz.rounds", 20_000);

    private static final long SEED = Long.getLong("ash.fuzz.seed", 12);
    private static final List<HttpCompliance> MODES =
            List.of(HttpCompliance.RFC9110, HttpCompliance.RFC2616_LEGACY);
    private static final String OK = "HTTP/1.1 200 OK\r\n";
    private static final String HEALTH = "{\"status\":\"ok\",\"version\":\"9\"}";

    private static final List<String> HEADERS =
            List.of(
                    "",
                    "Content-Length: 5\r\n",
                    "Content-Length: 5\r\nContent-Length: 5\r\n",
                    "Content-Length: 5\r\nContent-Length: 6\r\n",
                    "Content-Length: 5, 5\r\n",
                    "Content-Length: -5\r\n",
                    "Content-Length: +5\r\n",
                    "Content-Length: 0x5\r\n",
                    "Content-Length: \r\n",
                    "Content-Length: 99999999999999999999\r\n",
                    "Content-Length : 5\r\n",
                    "Content-Length:\r\n 5\r\n",
                    "X: y\nContent-Length: 5\r\n",
                    "X: y\rContent-Length: 5\r\n",
                    "X: y\0\r\nContent-Length: 5\r\n",
                    "Transfer-Encoding: chunked\r\n",
                    "Transfer-Encoding: Chunked\r\n",
                    "Transfer-Encoding: xchunked\r\n",
                    "Transfer-Encoding: gzip, chunked\r\n",
                    "Transfer-Encoding: chunked, identity\r\n",
                    "Transfer-Encoding: identity\r\n",
                    "Transfer-Encoding:\r\n chunked\r\n",
                    "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n",
                    "Transfer-Encoding: chunked\r\nContent-Length: 5\r\n",
                    "nonsense\r\nContent-Length: 5\r\n",
                    " folded: x\r\nContent-Length: 5\r\n");

    private static final List<String> BODIES =
            List.of(
                    "hello",
                    "hell",
                    "hello and more",
                    "5\r\nhello\r\n0\r\n\r\n",
                    "5;a=\"b\"\r\nhello\r\n0\r\nTrailer: x\r\n\r\n",
                    "5\nhello\n0\n\n",
                    "-5\r\nhello\r\n0\r\n\r\n",
                    "+5\r\nhello\r\n0\r\n\r\n",
                    " 5\r\nhello\r\n0\r\n\r\n",
                    "5 \r\nhello\r\n0\r\n\r\n",
                    "5;a=\"\r\nhello\r\n0\r\n\r\n",
                    "5;;\r\nhello\r\n0\r\n\r\n",
                    "fffffffffffffffb\r\nhello\r\n0\r\n\r\n",
                    "5\r\nhelloX\r\n0\r\n\r\n",
                    "5\r\nhello\r\n",
                    "0\r\nnonsense\r\n\r\n");

    private static final List<String> LINES =
            List.of(
                    OK,
                    "HTTP/1.1 200\r\n",
                    "HTTP/1.0 200 OK\r\n",
                    "HTTP/1.1 204 None\r\n",
                    "HTTP/1.1 304 Same\r\n",
                    "HTTP/1.1 100 Continue\r\n\r\n" + OK,
                    "HTTP/1.9 200 OK\r\n",
                    "HTTP/1.x 200 OK\r\n",
                    "HTTP/2 200 OK\r\n",
                    "HTTP/1.1 099 OK\r\n",
                    "HTTP/1.1  200 OK\r\n",
                    "HTTP/1.1 2e2 OK\r\n",
                    "HTTP/1.1 200 OK\n",
                    "ICY 200 OK\r\n");

    private static List<String> responses() {
        var all = new ArrayList<String>();
        for (var line : LINES) {
            for (var headers : HEADERS) {
                for (var body : BODIES) {
                    all.add(line + headers + "\r\n" + body);
                }
            }
        }
        return all;
    }

    @Test
    void readsResponsesLikeJettyOrRejectsThem() {
        int accepted = 0;
        for (var response : responses()) {
            accepted += compare(response) ? 1 : 0;
        }
        assertThat(accepted).isGreaterThan(100);
    }

    @Test
    void readsMutatedResponsesLikeJettyOrRejectsThem() {
        var random = new Random(SEED);
        var corpus = responses();
        int accepted = 0;
        for (int i = 0; i < ROUNDS; i++) {
            var response = corpus.get(random.nextInt(corpus.size()));
            for (int changes = random.nextInt(3); changes >= 0; changes--) {
                response = mutated(response, random);
            }
            accepted += compare(response) ? 1 : 0;
        }
        assertThat(accepted).isGreaterThan(ROUNDS / 100);
    }

    /** Returns whether both parsers accept the response; asserts equal status and body. */
    private static boolean compare(String response) {
        var wire = response.getBytes(StandardCharsets.ISO_8859_1);
        var ours = read(wire);
        if (ours.isEmpty()) {
            return false;
        }
        boolean both = true;
        for (var mode : MODES) {
            var theirs = JettyResponse.read(wire, mode);
            both &= theirs.isPresent();
            if (theirs.isPresent()) {
                assertThat(ours).as(shown(response)).isEqualTo(theirs);
            }
        }
        return both;
    }

    /** Returns status and body, or empty if rejected, which must be by an IOException. */
    private static Optional<String> read(byte[] wire) {
        var in = new ByteArrayInputStream(wire);
        try {
            var head = HttpHead.readFinal(in);
            var body = head.body(in).readAllBytes();
            return Optional.of(head.status() + " " + new String(body, StandardCharsets.ISO_8859_1));
        } catch (IOException e) {
            assertThat(e).hasMessageMatching("(?s).+");
            return Optional.empty();
        }
    }

    private static String mutated(String text, Random random) {
        int at = random.nextInt(text.length() + 1);
        int end = Math.min(text.length(), at + random.nextInt(8));
        return switch (random.nextInt(4)) {
            case 0 ->
                    text.substring(0, at)
                            + "\r\n:;0 5\n\t\r-".charAt(random.nextInt(10))
                            + text.substring(at);
            case 1 -> text.substring(0, at) + text.substring(end);
            case 2 -> text.substring(0, end) + text.substring(at);
            default -> text.substring(0, at) + (char) random.nextInt(256) + text.substring(end);
        };
    }

    private static String shown(String text) {
        return text.replace("\r", "\\r").replace("\n", "\\n");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "Content-Length: -5\r\n",
                "Content-Length: 5\r\nContent-Length: 6\r\n",
                "Content-Length: 33\r\nTransfer-Encoding: chunked\r\n",
                "Transfer-Encoding: gzip, chunked\r\n",
                "Transfer-Encoding: xchunked\r\nContent-Length: 33\r\n",
                "X: a\r\n b\r\n",
                "no colon\r\n"
            })
    void rejectsAmbiguousHeads(String headers) throws IOException {
        try (var server = FakeServer.sending(OK + headers + "\r\n" + HEALTH)) {
            assertThatThrownBy(() -> server.client().health())
                    .isInstanceOf(ConnectionLostException.class)
                    .hasMessageContaining("GET /health");
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "HTTP/1.1 100 Continue\r\n\r\n",
                "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n|X: y\r\n",
                "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n|0",
                "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5;|a",
                "HTTP/1.1 200 OK\r\n|X:\r\n",
                "HTTP/1.1 |2"
            })
    void rejectsEndlessResponses(String text) throws IOException {
        int bar = text.indexOf('|');
        var start = bar < 0 ? "" : text.substring(0, bar);
        try (var server =
                new FakeServer((_, out) -> endless(out, start, text.substring(bar + 1)))) {
            assertThatThrownBy(() -> server.client().health())
                    .isInstanceOf(ConnectionLostException.class);
        }
    }

    private static void endless(OutputStream out, String start, String repeated)
            throws IOException {
        FakeServer.write(out, start);
        var block = repeated.repeat(1000).getBytes(StandardCharsets.US_ASCII);
        while (true) {
            out.write(block); // until the client closes the connection
        }
    }

    @Test
    void readsHostileEvents() throws IOException {
        var random = new Random(SEED);
        for (int i = 0; i < ROUNDS / 10; i++) {
            var noise = new byte[random.nextInt(200)];
            random.nextBytes(noise);
            var text =
                    "retry: 99999999999999999999\nid: \0\ndata: \u00ff\nevent\n\n:\ndata:"
                            + new String(noise, StandardCharsets.ISO_8859_1)
                            + "\n\n";
            var reader =
                    new SseReader(
                            new ByteArrayInputStream(text.getBytes(StandardCharsets.ISO_8859_1)));
            int frames = 0;
            while (reader.next() != null) {
                frames++;
            }
            assertThat(frames).isPositive();
        }
    }
}

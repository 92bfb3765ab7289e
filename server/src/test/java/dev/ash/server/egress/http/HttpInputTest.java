package dev.ash.server.egress.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests that heads and bodies are rejected if two parsers could read them differently. */
class HttpInputTest {
    @Test
    void readsHeadersInOrder() throws IOException {
        var head =
                RequestHead.read(
                        input(
                                "POST /v1/messages?beta=true HTTP/1.1\r\nHost: a\r\nX:  b c \r\n\r\n"));

        assertThat(head.method()).isEqualTo("POST");
        assertThat(head.target()).isEqualTo("/v1/messages?beta=true");
        assertThat(head.headers().all())
                .containsExactly(new Headers.Header("Host", "a"), new Headers.Header("X", "b c"));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "GET / HTTP/1.1\nHost: a\n\n",
                "GET / HTTP/1.1\r\nHost: a\n\r\n",
                "GET / HTTP/1.1\r\nHost: a\r\r\n\r\n",
                "GET / HTTP/1.1\r\nHost: a\r\n folded\r\n\r\n",
                "GET / HTTP/1.1\r\n Host: a\r\n\r\n",
                "GET / HTTP/1.1\r\nHost : a\r\n\r\n",
                "GET / HTTP/1.1\r\nHost\r\n\r\n",
                "GET / HTTP/1.1\r\n: a\r\n\r\n",
                "GET / HTTP/1.1\r\nHost: a\0b\r\n\r\n",
                "GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n",
                "GET / HTTP/1.1\r\n\r\n",
                "GET  / HTTP/1.1\r\nHost: a\r\n\r\n",
                "GET /a b HTTP/1.1\r\nHost: a\r\n\r\n",
                "GET /#x HTTP/1.1\r\nHost: a\r\n\r\n",
                "GET /\\x HTTP/1.1\r\nHost: a\r\n\r\n",
                "GET /\u00e4 HTTP/1.1\r\nHost: a\r\n\r\n",
                "get / HTTP/1.1\r\nHost: a\r\n\r\n",
                "GET / HTTP/1.2\r\nHost: a\r\n\r\n",
                "GET / HTTP/2.0\r\nHost: a\r\n\r\n",
                "GET /\r\nHost: a\r\n\r\n",
                "\r\nGET / HTTP/1.1\r\nHost: a\r\n\r\n",
                "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
                "\u0016\u0003\u0001\u0002",
            })
    void rejectsMalformedHeads(String text) {
        assertThatExceptionOfType(BadMessageException.class)
                .isThrownBy(() -> RequestHead.read(input(text)));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "Content-Length: 1\r\nContent-Length: 1",
                "Content-Length: 1\r\nContent-Length: 2",
                "Content-Length: 1\r\nTransfer-Encoding: chunked",
                "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked",
                "Transfer-Encoding: gzip, chunked",
                "Transfer-Encoding: chunked, identity",
                "Transfer-Encoding: identity",
                "Transfer-Encoding: xchunked",
                "Transfer-Encoding: ",
                "Content-Length: 1, 1",
                "Content-Length: +1",
                "Content-Length: -1",
                "Content-Length: 0x1",
                "Content-Length: 1 1",
                "Content-Length: ",
                "Content-Length: 9999999999999999999",
            })
    void rejectsAmbiguousLengths(String headers) throws IOException {
        var head = RequestHead.read(input("POST / HTTP/1.1\r\nHost: a\r\n" + headers + "\r\n\r\n"));

        assertThatExceptionOfType(BadMessageException.class).isThrownBy(() -> Framing.of(head));
    }

    @Test
    void rejectsChunksInHttp10() throws IOException {
        var head = RequestHead.read(input("POST / HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n"));

        assertThatExceptionOfType(BadMessageException.class).isThrownBy(() -> Framing.of(head));
    }

    @Test
    void rejectsHeadsAboveTheLimits() {
        var longLine = "GET /" + "a".repeat(40_000) + " HTTP/1.1\r\nHost: a\r\n\r\n";
        var longHeader = "GET / HTTP/1.1\r\nX: " + "a".repeat(40_000) + "\r\n\r\n";
        var manyHeaders = "GET / HTTP/1.1\r\n" + "A: b\r\n".repeat(101) + "\r\n";
        var manyBytes = "GET / HTTP/1.1\r\n" + ("A: " + "b".repeat(1000) + "\r\n").repeat(50);

        for (var text : new String[] {longLine, longHeader, manyHeaders, manyBytes}) {
            var failure =
                    catchThrowableOfType(
                            BadMessageException.class, () -> RequestHead.read(input(text)));
            assertThat(failure.status()).isEqualTo(431);
        }
    }

    @Test
    void readsChunksToTheirEndOnly() throws IOException {
        var in = input("4;ext=1\r\nWiki\r\n5\r\npedia\r\n0\r\nTrailer: x\r\n\r\nNEXT");

        assertThat(new BodyInput.Chunks(in).readAllBytes()).asString().isEqualTo("Wikipedia");
        assertThat(in.readAllBytes()).asString().isEqualTo("NEXT");
    }

    @ParameterizedTest
    @CsvSource({
        "'4\\r\\nWikiX\\r\\n0\\r\\n\\r\\n'",
        "'4\\nWiki\\r\\n0\\r\\n\\r\\n'",
        "'4\\r\\nWiki\\n0\\r\\n\\r\\n'",
        "'0x4\\r\\nWiki\\r\\n0\\r\\n\\r\\n'",
        "'-4\\r\\nWiki\\r\\n0\\r\\n\\r\\n'",
        "' 4\\r\\nWiki\\r\\n0\\r\\n\\r\\n'",
        "'\\r\\n'",
        "'fffffffffffffffff\\r\\n'",
    })
    void rejectsInvalidChunkSizes(String escaped) {
        var text = escaped.replace("\\r", "\r").replace("\\n", "\n");

        assertThatExceptionOfType(BadMessageException.class)
                .isThrownBy(() -> new BodyInput.Chunks(input(text)).readAllBytes());
    }

    @Test
    void rejectsTruncatedBodies() {
        assertThatExceptionOfType(EOFException.class)
                .isThrownBy(() -> new BodyInput.Chunks(input("4\r\nWi")).readAllBytes());
        assertThatExceptionOfType(EOFException.class)
                .isThrownBy(() -> new BodyInput.Chunks(input("2\r\nWi\r\n")).readAllBytes());
        assertThatExceptionOfType(EOFException.class)
                .isThrownBy(() -> new BodyInput.Length(input("Wi"), 4).readAllBytes());
    }

    @Property(tries = 200)
    void readsWrittenChunks(@ForAll byte[] content, @ForAll @IntRange(min = 1, max = 50) int piece)
            throws IOException {
        var out = new ByteArrayOutputStream();
        var chunks = new BodyOutput.Chunks(out);
        for (int i = 0; i < content.length; i += piece) {
            var part = Arrays.copyOfRange(content, i, Math.min(content.length, i + piece));
            chunks.write(part, part.length);
        }
        chunks.finish();

        var in = new HttpInput(new ByteArrayInputStream(out.toByteArray()));
        assertThat(new BodyInput.Chunks(in).readAllBytes()).isEqualTo(content);
    }

    @Property(tries = 2000)
    void parsesOrRejectsRandomBytes(@ForAll byte[] noise) {
        try {
            var head = RequestHead.read(new HttpInput(new ByteArrayInputStream(noise)));
            Framing.of(head);
        } catch (IOException e) {
            assertThat(e.getMessage()).isNotEmpty();
        }
    }

    private static HttpInput input(String text) {
        return new HttpInput(new ByteArrayInputStream(text.getBytes(StandardCharsets.ISO_8859_1)));
    }
}

package dev.ash.server.egress.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import java.io.IOException;
import java.io.InputStream;
import java.util.Arrays;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Tests that the parsers reject endless messages after a bounded number of bytes. */
class HostileStreamTest {
    private static final String REQUEST = "POST / HTTP/1.1\r\nHost: a\r\n";
    private static final String CHUNKED = "Transfer-Encoding: chunked\r\n\r\n";

    static Stream<Arguments> endless() {
        return Stream.of(
                Arguments.of("first line", "GET /", "a"),
                Arguments.of("header", REQUEST + "X: ", "a"),
                Arguments.of("headers", REQUEST, "X: y\r\n"),
                Arguments.of("headers without value", REQUEST, "X:\r\n"),
                Arguments.of("chunk size", REQUEST + CHUNKED, "0"),
                Arguments.of("chunk extension", REQUEST + CHUNKED, "5;a"),
                Arguments.of("trailer", REQUEST + CHUNKED + "0\r\nX: ", "y"),
                Arguments.of("trailers", REQUEST + CHUNKED + "0\r\n", "X: y\r\n"));
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("endless")
    void rejectsEndlessRequests(String name, String start, String repeated) {
        var stream = new Endless(start, repeated);
        var in = new HttpInput(stream);

        assertThatExceptionOfType(BadMessageException.class)
                .isThrownBy(
                        () -> {
                            var head = RequestHead.read(in);
                            Framing.of(head).open(in).readAllBytes();
                        });
        assertThat(stream.count).isLessThan(128 * 1024);
    }

    static Stream<Arguments> endlessResponses() {
        return Stream.of(
                Arguments.of("reason", "HTTP/1.1 200 ", "a"),
                Arguments.of("headers", "HTTP/1.1 200 OK\r\n", "X: y\r\n"),
                Arguments.of("interim responses", "", "HTTP/1.1 100 Continue\r\n\r\n"),
                Arguments.of("trailers", "HTTP/1.1 200 OK\r\n" + CHUNKED + "0\r\n", "X: y\r\n"));
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("endlessResponses")
    void rejectsEndlessResponses(String name, String start, String repeated) {
        var stream = new Endless(start, repeated);
        var in = new HttpInput(stream);

        assertThatExceptionOfType(BadMessageException.class)
                .isThrownBy(
                        () -> {
                            var head = ResponseHead.read(in);
                            Framing.of("GET", head).open(in).readAllBytes();
                        });
        assertThat(stream.count).isLessThan(512 * 1024);
    }

    /** A stream with a start and an endless repetition. */
    private static final class Endless extends InputStream {
        private final byte[] start;
        private final byte[] repeated;
        private int count;

        private Endless(String start, String repeated) {
            this.start = HttpReading.bytes(start);
            this.repeated = HttpReading.bytes(repeated);
        }

        @Override
        public int read() {
            int at = count++;
            return at < start.length
                    ? start[at] & 0xFF
                    : repeated[(at - start.length) % repeated.length] & 0xFF;
        }

        @Override
        public int read(byte[] bytes, int offset, int length) throws IOException {
            int size = Math.min(length, 1000);
            var piece = new byte[size];
            for (int i = 0; i < size; i++) {
                piece[i] = (byte) read();
            }
            System.arraycopy(piece, 0, bytes, offset, size);
            return size;
        }

        @Override
        public String toString() {
            return Arrays.toString(repeated);
        }
    }
}

package dev.ash.protocol.json;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class JsonLinesReaderTest {
    @Property(tries = 300)
    void readsExactLinesWithAnyReadSizes(
            @ForAll("lines") List<String> lines, @ForAll("sizes") List<Integer> sizes)
            throws IOException {
        var sent = (String.join("\n", lines) + "\n").getBytes(UTF_8);

        var received = readAll(new JsonLinesReader(new ChunkedStream(sent, sizes), 1 << 20));

        assertThat(received).isEqualTo(lines.stream().map(RawJson::of).toList());
    }

    @Property(tries = 100)
    void skipsBlankLines(@ForAll("lines") List<String> lines, @ForAll("sizes") List<Integer> sizes)
            throws IOException {
        var text = new StringBuilder("\n \n");
        lines.forEach(line -> text.append(line).append("\n\t \n\r\n\n"));

        var received =
                readAll(
                        new JsonLinesReader(
                                new ChunkedStream(text.toString().getBytes(UTF_8), sizes),
                                1 << 20));

        assertThat(received).isEqualTo(lines.stream().map(RawJson::of).toList());
    }

    @Test
    void readsCharactersSplitBetweenReads() throws IOException {
        var line = "{\"text\":\"aé日👩‍🚀\u2028\"}";
        var bytes = (line + "\n").getBytes(UTF_8);

        for (int cut = 1; cut < bytes.length; cut++) {
            var stream = new ChunkedStream(bytes, List.of(cut, bytes.length));
            assertThat(new JsonLinesReader(stream, 100).next()).isEqualTo(RawJson.of(line));
        }
    }

    @Test
    void omitsIncompleteLastLine() throws IOException {
        var reader = reader("{\"a\":1}\n{\"a\":2");

        assertThat(reader.next()).isEqualTo(RawJson.of("{\"a\":1}"));
        assertThat(reader.next()).isNull();
        assertThat(reader.pendingBytes()).isEqualTo(6);
    }

    @Test
    void hasNoPendingBytesAfterCompleteLines() throws IOException {
        var reader = reader("{}\n");

        assertThat(reader.next()).isEqualTo(RawJson.EMPTY_OBJECT);
        assertThat(reader.next()).isNull();
        assertThat(reader.next()).isNull();
        assertThat(reader.pendingBytes()).isZero();
    }

    @Test
    void acceptsLinesOfMaximumLength() throws IOException {
        var line = "\"" + "x".repeat(98) + "\"";

        assertThat(reader(line + "\n").next()).isEqualTo(RawJson.of(line));
    }

    @Test
    void rejectsLinesAboveMaximumLength() {
        var reader = reader("\"" + "x".repeat(99) + "\"\n");

        assertThatThrownBy(reader::next)
                .isInstanceOf(MalformedJsonException.class)
                .hasMessage("line is longer than 100 bytes");
    }

    @Test
    void rejectsEndlessLineAtMaximumLength() {
        var endless = new ChunkedStream("x".repeat(300_000).getBytes(UTF_8), List.of(17));
        var reader = new JsonLinesReader(endless, 100_000);

        assertThatThrownBy(reader::next).isInstanceOf(MalformedJsonException.class);
        assertThat(reader.pendingBytes()).isLessThan(101_000);
    }

    @Test
    void readsSmallLinesAfterHugeOne() throws IOException {
        var huge = "\"" + "é".repeat(1_000_000) + "\"";
        var bytes = (huge + "\n[1]\n[2]\n").getBytes(UTF_8);
        var reader = new JsonLinesReader(new ChunkedStream(bytes, List.of(65_536)), 1 << 24);

        assertThat(reader.next()).isEqualTo(RawJson.of(huge));
        assertThat(reader.next()).isEqualTo(RawJson.of("[1]"));
        assertThat(reader.next()).isEqualTo(RawJson.of("[2]"));
        assertThat(reader.next()).isNull();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "\u0080", // a continuation byte without a lead byte
                "\u00ff",
                "\u00c3", // truncated after the first of two bytes
                "\u00c3(",
                "\u00c0\u00af", // overlong "/" in two bytes
                "\u00e0\u0080\u00af", // in three
                "\u00f0\u0080\u0080\u00af", // in four
                "\u00ed\u00a0\u0080", // unpaired surrogate
                "\u00ed\u00bf\u00bf",
                "\u00e2\u0082", // truncated euro sign
                "\u00f0\u009f\u009a", // truncated emoji
                "\u00f4\u0090\u0080\u0080", // above U+10FFFF
                "\u00f5\u0080\u0080\u0080",
                "\u00f8\u0088\u0080\u0080\u0080"
            })
    void rejectsInvalidUtf8(String latin1) {
        var line = ("{\"text\":\"" + latin1 + "\"}\n").getBytes(ISO_8859_1);
        var reader = new JsonLinesReader(new ByteArrayInputStream(line), 100);

        assertThatThrownBy(reader::next)
                .isInstanceOf(MalformedJsonException.class)
                .hasMessage("line is not valid UTF-8");
    }

    @Test
    void rejectsCharactersTruncatedByNewline() {
        var bytes = "{}\u00f0\u009f\u009a\n\u0080{}\n".getBytes(ISO_8859_1);
        var reader = new JsonLinesReader(new ByteArrayInputStream(bytes), 100);

        assertThatThrownBy(reader::next).hasMessage("line is not valid UTF-8");
    }

    @Provide
    Arbitrary<List<String>> lines() {
        return TextArbitraries.json().list().ofMaxSize(8);
    }

    @Provide
    Arbitrary<List<Integer>> sizes() {
        var oneByOne = Arbitraries.just(List.of(1));
        var uneven = Arbitraries.integers().between(1, 40).list().ofMinSize(1).ofMaxSize(6);
        return Arbitraries.oneOf(oneByOne, uneven, Arbitraries.just(List.of(100_000)));
    }

    private static JsonLinesReader reader(String text) {
        return new JsonLinesReader(new ByteArrayInputStream(text.getBytes(UTF_8)), 100);
    }

    private static List<RawJson> readAll(JsonLinesReader reader) throws IOException {
        var lines = new ArrayList<RawJson>();
        for (var line = reader.next(); line != null; line = reader.next()) {
            lines.add(line);
        }
        return lines;
    }
}

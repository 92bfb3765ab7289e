package dev.ash.sdk;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ash.protocol.json.RawJson;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.PipedInputStream;
import java.io.PipedOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.Example;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;

class SseReaderTest {
    /** Returns the bytes in two reads, the first of {@code first} bytes. */
    private static InputStream inTwoReads(byte[] bytes, int first) {
        return new InputStream() {
            private int position;

            @Override
            public int read() {
                return position == bytes.length ? -1 : bytes[position++] & 0xff;
            }

            @Override
            public int read(byte[] into, int offset, int length) {
                if (position == bytes.length) {
                    return -1;
                }
                int end = position < first ? first : bytes.length;
                int count = Math.min(length, end - position);
                System.arraycopy(bytes, position, into, offset, count);
                position += count;
                return count;
            }
        };
    }

    private static List<SseFrame> frames(InputStream in) throws IOException {
        var reader = new SseReader(in);
        var frames = new ArrayList<SseFrame>();
        for (var frame = reader.next(); frame != null; frame = reader.next()) {
            frames.add(frame);
        }
        return frames;
    }

    private static List<SseFrame> frames(String text) throws IOException {
        return frames(new ByteArrayInputStream(text.getBytes(StandardCharsets.UTF_8)));
    }

    private static SseFrame frame(String event, String data, String id) {
        return new SseFrame(event, RawJson.of(data), id);
    }

    @Provide
    Arbitrary<List<SseFrame>> someFrames() {
        var text =
                Arbitraries.of("a", " ", ":", "ü", "漢", "👩‍💻", "{\"k\":1}", "\\n", "data: x")
                        .list()
                        .ofMaxSize(6)
                        .map(parts -> String.join("", parts));
        var lines = text.list().ofMinSize(1).ofMaxSize(3).map(all -> String.join("\n", all));
        var event = Arbitraries.of("message", "done", "text_delta", "ереход");
        var id = Arbitraries.longs().between(1, 1 << 20).map(n -> "" + n).injectNull(0.5);
        return Combinators.combine(event, lines, id)
                .as((name, data, number) -> frame(name, data, number))
                .list()
                .ofMaxSize(4);
    }

    private static String written(List<SseFrame> frames, String lineEnd) {
        var text = new StringBuilder();
        for (var frame : frames) {
            text.append(": a comment").append(lineEnd);
            text.append("event: ").append(frame.event()).append(lineEnd);
            for (var line : frame.data().toString().split("\n", -1)) {
                text.append("data: ").append(line).append(lineEnd);
            }
            if (frame.id() != null) {
                text.append("id: ").append(frame.id()).append(lineEnd);
            }
            text.append(lineEnd);
        }
        return text.toString();
    }

    @Property(tries = 150)
    void readsTheSameFramesForEverySplit(
            @ForAll("someFrames") List<SseFrame> expected, @ForAll("lineEnds") String lineEnd)
            throws IOException {
        var bytes = written(expected, lineEnd).getBytes(StandardCharsets.UTF_8);

        for (int split = 0; split <= bytes.length; split++) {
            assertThat(frames(inTwoReads(bytes, split))).isEqualTo(expected);
        }
    }

    @Provide
    Arbitrary<String> lineEnds() {
        return Arbitraries.of("\n", "\r\n", "\r");
    }

    @Example
    void stripsAtMostOneSpaceAfterTheColon() throws IOException {
        assertThat(frames("event:done\ndata:  x\nid:7\n\n"))
                .containsExactly(frame("done", " x", "7"));
    }

    @Example
    void defaultsToMessageWithoutEventField() throws IOException {
        assertThat(frames("data: 1\n\n")).containsExactly(frame("message", "1", null));
    }

    @Example
    void dropsFramesWithoutDataAndTheirEvent() throws IOException {
        assertThat(frames("event: lost\n\ndata: 1\n\n"))
                .containsExactly(frame("message", "1", null));
    }

    @Example
    void treatsFieldWithoutColonAsEmpty() throws IOException {
        assertThat(frames("data\n\n")).containsExactly(frame("message", "", null));
    }

    @Example
    void dropsIncompleteLastFrame() throws IOException {
        assertThat(frames("data: 1\n\ndata: 2\n")).containsExactly(frame("message", "1", null));
    }

    @Example
    void skipsByteOrderMarkAndUnknownFields() throws IOException {
        assertThat(frames("\uFEFFretry: 10\nwhat: ever\ndata: 1\n\n"))
                .containsExactly(frame("message", "1", null));
    }

    @Example
    void keepsLastIdAcrossFramesWithoutId() throws IOException {
        var text = "id: 4\ndata: 1\n\ndata: 2\n\nid: 5\0\ndata: 3\n\n";
        var reader = new SseReader(new ByteArrayInputStream(text.getBytes(StandardCharsets.UTF_8)));

        assertThat(reader.next()).isEqualTo(frame("message", "1", "4"));
        assertThat(reader.next()).isEqualTo(frame("message", "2", null));
        assertThat(reader.next()).isEqualTo(frame("message", "3", null));
        assertThat(reader.lastId()).isEqualTo("4");
    }

    @Example
    void returnsFrameWithoutWaitingForAnotherByte() throws IOException {
        var out = new PipedOutputStream();
        var reader = new SseReader(new PipedInputStream(out));

        out.write("data: 1\r\n\r".getBytes(StandardCharsets.UTF_8));
        out.flush();

        assertThat(reader.next()).isEqualTo(frame("message", "1", null));
    }
}

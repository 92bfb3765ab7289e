package dev.ash.server.http;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.ash.protocol.json.RawJson;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.util.ArrayList;
import java.util.List;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.CharRange;
import net.jqwik.api.constraints.StringLength;
import org.junit.jupiter.api.Test;

class SseStreamTest {
    @Test
    void writesEachFrameInOneWrite() throws IOException {
        var writes = new ArrayList<String>();
        var stream = new SseStream(recorder(writes));

        stream.frame("session_start", RawJson.of("{\"sessionId\":\"é\"}"));
        stream.frame("message", RawJson.of("{\"a\":1}"), 42);
        stream.comment("ping");

        assertThat(writes)
                .containsExactly(
                        "event: session_start\ndata: {\"sessionId\":\"é\"}\n\n",
                        "event: message\ndata: {\"a\":1}\nid: 42\n\n",
                        ": ping\n\n");
    }

    @Test
    void sendsAddedFramesInOneWrite() throws IOException {
        var writes = new ArrayList<String>();
        var stream = new SseStream(recorder(writes));

        stream.add("a", RawJson.of("1"));
        stream.add("b", RawJson.of("2"), 7);
        assertThat(writes).isEmpty();
        stream.flush();
        stream.flush();

        assertThat(writes).containsExactly("event: a\ndata: 1\n\nevent: b\ndata: 2\nid: 7\n\n");
    }

    @Test
    void limitsBuffer() throws IOException {
        var writes = new ArrayList<String>();
        var stream = new SseStream(recorder(writes));
        var data = RawJson.of("\"" + "x".repeat(10_000) + "\"");

        for (int i = 0; i < 20; i++) {
            stream.add("message", data, i);
        }

        assertThat(writes).hasSize(2).allSatisfy(w -> assertThat(w).hasSizeLessThan(128 * 1024));
    }

    @Test
    void writesLargeDataInOrderWithoutCopy() throws IOException {
        var large = ("\"" + "x".repeat(64 * 1024) + "\"").getBytes(UTF_8);
        var arrays = new ArrayList<byte[]>();
        var text = new ByteArrayOutputStream();
        var out =
                new OutputStream() {
                    @Override
                    public void write(byte[] bytes, int offset, int length) {
                        arrays.add(bytes);
                        text.write(bytes, offset, length);
                    }

                    @Override
                    public void write(int value) {
                        throw new AssertionError("byte by byte");
                    }
                };
        var stream = new SseStream(out);

        stream.add("small", RawJson.of("1"), 1);
        stream.add("large", new RawJson(large), 2);
        stream.frame("small", RawJson.of("3"), 3);

        assertThat(arrays).anyMatch(array -> array == large);
        assertThat(text.toString(UTF_8))
                .isEqualTo(
                        "event: small\ndata: 1\nid: 1\n\nevent: large\ndata: "
                                + new String(large, UTF_8)
                                + "\nid: 2\n\nevent: small\ndata: 3\nid: 3\n\n");
    }

    @Test
    void replacesLineBreaks() throws IOException {
        var writes = new ArrayList<String>();
        var stream = new SseStream(recorder(writes));

        stream.frame("x\ndata: evil\r", RawJson.of("{\r\n\"a\":\n1}"));
        stream.comment("a\n\nevent: done");

        assertThat(writes)
                .containsExactly(
                        "event: x data: evil \ndata: {  \"a\": 1}\n\n", ": a  event: done\n\n");
    }

    @Property(tries = 300)
    void encodesAnyText(
            @ForAll @StringLength(max = 200) String text,
            @ForAll @CharRange(from = 'a', to = 'z') @StringLength(min = 1, max = 20) String event,
            @ForAll long id)
            throws IOException {
        var whole = new String(text.getBytes(UTF_8), UTF_8); // no lone surrogates
        var data = RawJson.string(whole);
        var out = new ByteArrayOutputStream();

        new SseStream(out).frame(event, data, id);

        var lines = out.toString(UTF_8).split("\n", -1);
        assertThat(lines).containsExactly("event: " + event, "data: " + data, "id: " + id, "", "");
        assertThat(Json.MAPPER.readValue(lines[1].substring(6), String.class)).isEqualTo(whole);
    }

    private static OutputStream recorder(List<String> writes) {
        return new OutputStream() {
            @Override
            public void write(byte[] bytes, int offset, int length) {
                writes.add(new String(bytes, offset, length, UTF_8));
            }

            @Override
            public void write(int value) {
                throw new AssertionError("byte by byte");
            }
        };
    }
}

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

class JettySseStreamTest {
    @Test
    void writesEachFrameInOneWrite() throws IOException {
        var writes = new ArrayList<String>();
        var stream = new JettySseStream(recorder(writes));

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
    void letsNoLineBreakBeginAField() throws IOException {
        var writes = new ArrayList<String>();
        var stream = new JettySseStream(recorder(writes));

        stream.frame("x\ndata: evil\r", RawJson.of("{\r\n\"a\":\n1}"));
        stream.comment("a\n\nevent: done");

        assertThat(writes)
                .containsExactly(
                        "event: x data: evil \ndata: {  \"a\": 1}\n\n", ": a  event: done\n\n");
    }

    @Property(tries = 300)
    void anyTextComesBackFromItsFrame(
            @ForAll @StringLength(max = 200) String text,
            @ForAll @CharRange(from = 'a', to = 'z') @StringLength(min = 1, max = 20) String event,
            @ForAll long id)
            throws IOException {
        var whole = new String(text.getBytes(UTF_8), UTF_8); // no lone surrogates
        var data = RawJson.string(whole);
        var out = new ByteArrayOutputStream();

        new JettySseStream(out).frame(event, data, id);

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

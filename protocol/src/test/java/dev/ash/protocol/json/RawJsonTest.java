package dev.ash.protocol.json;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Example;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;

class RawJsonTest {
    @Property
    void slicesWithSameBytesAreEqual(@ForAll("json") String json) throws IOException {
        var bytes = ("[" + json + "]").getBytes(UTF_8);
        var slice = new RawJson(bytes, 1, bytes.length - 2);
        var out = new ByteArrayOutputStream();

        slice.writeTo(out);

        assertThat(slice).isEqualTo(RawJson.of(json)).hasSameHashCodeAs(RawJson.of(json));
        assertThat(slice.toBytes()).isEqualTo(json.getBytes(UTF_8));
        assertThat(out.toByteArray()).isEqualTo(json.getBytes(UTF_8));
        assertThat(slice).hasToString(json);
        assertThat(slice.byteAt(0)).isEqualTo((byte) json.charAt(0));
    }

    @Property
    void doesNotCopySingleLineValues(@ForAll("json") String json) {
        var value = RawJson.of(json);

        assertThat(value.onOneLine()).isSameAs(value);
    }

    @Example
    void replacesLineBreaksBetweenTokensAndKeepsEscapes() {
        var bytes = "x{\r\n \"a\\n\\r\" :\n[1,\r2]}\n".getBytes(UTF_8);

        var line = new RawJson(bytes, 1, bytes.length - 1).onOneLine();

        assertThat(line).hasToString("{   \"a\\n\\r\" : [1, 2]} ");
        assertThat(bytes).contains('\n', '\r'); // the original is unchanged
    }

    @Example
    void differentBytesAreNotEqual() {
        assertThat(RawJson.of("1")).isNotEqualTo(RawJson.of("1.0")).isNotEqualTo("1");
    }

    @Provide
    Arbitrary<String> json() {
        return TextArbitraries.json().filter(text -> text.charAt(0) < 0x80);
    }
}

package dev.ash.protocol.json;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Example;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;

class Utf8Test {
    @Property(tries = 3000)
    void agreesWithJdkDecoderForAnyBytes(@ForAll("bytes") byte[] bytes) {
        assertThat(Utf8.isValid(bytes, 0, bytes.length)).isEqualTo(decodes(bytes));
    }

    @Example
    void agreesWithJdkDecoderForAllLeadBytes() {
        for (int lead = 0x80; lead <= 0xFF; lead++) {
            for (int second = 0; second <= 0xFF; second++) {
                for (int tail : new int[] {0x7F, 0x80, 0xBF, 0xC0}) {
                    var three = new byte[] {(byte) lead, (byte) second, (byte) tail};
                    var four = new byte[] {(byte) lead, (byte) second, (byte) tail, (byte) 0x80};
                    assertThat(Utf8.isValid(three, 0, 3)).isEqualTo(decodes(three));
                    assertThat(Utf8.isValid(four, 0, 4)).isEqualTo(decodes(four));
                }
            }
        }
    }

    @Example
    void readsOnlyGivenRange() {
        var bytes = "€".getBytes(UTF_8);

        assertThat(Utf8.isValid(bytes, 0, 3)).isTrue();
        assertThat(Utf8.isValid(bytes, 0, 2)).isFalse();
        assertThat(Utf8.isValid(bytes, 1, 3)).isFalse();
        assertThat(Utf8.isValid(bytes, 2, 2)).isTrue();
    }

    @Provide
    Arbitrary<byte[]> bytes() {
        var anything = Arbitraries.bytes().array(byte[].class).ofMaxSize(8);
        var interesting =
                Arbitraries.of(
                                0x00, 0x41, 0x7F, 0x80, 0x8F, 0x90, 0x9F, 0xA0, 0xBF, 0xC1, 0xC2,
                                0xDF, 0xE0, 0xE1, 0xED, 0xEF, 0xF0, 0xF4, 0xF5, 0xFF)
                        .map(Integer::byteValue)
                        .array(byte[].class)
                        .ofMaxSize(6);
        var text = TextArbitraries.hostile().map(string -> string.getBytes(UTF_8));
        return Arbitraries.oneOf(anything, interesting, text);
    }

    private static boolean decodes(byte[] bytes) {
        try {
            UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes));
            return true;
        } catch (CharacterCodingException e) {
            return false;
        }
    }
}

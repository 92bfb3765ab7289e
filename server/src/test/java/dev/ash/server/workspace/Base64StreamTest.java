package dev.ash.server.workspace;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.ash.protocol.ApiException;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.util.Base64;
import java.util.Random;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class Base64StreamTest {
    @Property(tries = 200)
    void decodesAnyContentWithShortReads(
            @ForAll @IntRange(max = 50_000) int size, @ForAll long seed) throws IOException {
        var random = new Random(seed);
        var content = new byte[size];
        random.nextBytes(content);
        var encoder = random.nextBoolean() ? Base64.getMimeEncoder() : Base64.getEncoder();
        var encoded = (random.nextBoolean() ? encoder : encoder.withoutPadding()).encode(content);

        assertThat(decode(new ShortReads(encoded, random))).isEqualTo(content);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "Q",
                "QQ=",
                "Q===",
                "=",
                "====",
                "QQ==QQ==",
                "QQ==\nQQ",
                "QU I=",
                "QQ-_",
                "Ä"
            })
    void rejectsInvalidBase64(String text) {
        for (var prefix : new String[] {"", "QUJD".repeat(4096), "QUJD\r\n".repeat(10_000)}) {
            var in = new ByteArrayInputStream((prefix + text).getBytes(UTF_8));
            assertThatThrownBy(() -> decode(in))
                    .isInstanceOf(ApiException.class)
                    .hasMessageContaining("must be base64");
        }
    }

    private static byte[] decode(InputStream in) throws IOException {
        try (var decoded = new Base64Stream("notes.txt", in)) {
            return decoded.readAllBytes();
        }
    }

    /** Returns at least one byte and at most the requested number. */
    private static final class ShortReads extends ByteArrayInputStream {
        private final Random random;

        private ShortReads(byte[] bytes, Random random) {
            super(bytes);
            this.random = random;
        }

        @Override
        public synchronized int read(byte[] bytes, int offset, int length) {
            return super.read(bytes, offset, 1 + random.nextInt(length));
        }
    }
}

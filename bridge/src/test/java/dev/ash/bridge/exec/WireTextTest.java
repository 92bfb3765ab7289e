package dev.ash.bridge.exec;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ash.protocol.json.RawJson;
import java.nio.charset.StandardCharsets;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;

class WireTextTest {
    @Property
    void fitsAfterEncodingWithoutSplittingCharacters(
            @ForAll String any, @ForAll @IntRange(min = 0, max = 50) int maxBytes) {
        var text = new String(any.getBytes(StandardCharsets.UTF_8), StandardCharsets.UTF_8);

        var truncated = WireText.truncate(text, maxBytes);

        assertThat(RawJson.string(truncated.text()).length() - 2).isLessThanOrEqualTo(maxBytes);
        assertThat(text).startsWith(truncated.text());
        assertThat(truncated.isComplete()).isEqualTo(truncated.text().equals(text));
        assertThat(truncated.text().codePoints()).noneMatch(p -> p >= 0xD800 && p <= 0xDFFF);
    }
}

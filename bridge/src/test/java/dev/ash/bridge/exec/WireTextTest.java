package dev.ash.bridge.exec;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ash.protocol.json.RawJson;
import java.nio.charset.StandardCharsets;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;

class WireTextTest {
    @Property
    void fitsOnceItIsEncodedAndIsNeverCutWithinACharacter(
            @ForAll String any, @ForAll @IntRange(min = 0, max = 50) int maxBytes) {
        var text = new String(any.getBytes(StandardCharsets.UTF_8), StandardCharsets.UTF_8);

        var fitting = WireText.fitting(text, maxBytes);

        assertThat(RawJson.string(fitting.text()).length() - 2).isLessThanOrEqualTo(maxBytes);
        assertThat(text).startsWith(fitting.text());
        assertThat(fitting.whole()).isEqualTo(fitting.text().equals(text));
        assertThat(fitting.text().codePoints()).noneMatch(p -> p >= 0xD800 && p <= 0xDFFF);
    }
}

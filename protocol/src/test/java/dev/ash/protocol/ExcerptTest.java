package dev.ash.protocol;

import static org.assertj.core.api.Assertions.assertThat;

import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;

class ExcerptTest {
    @Property
    void limitsLengthWithoutSplittingSurrogatePairs(
            @ForAll String text, @ForAll @IntRange(max = 300) int maxChars) {
        var prefix = Excerpt.prefix(text, maxChars);

        assertThat(text).startsWith(prefix);
        assertThat(prefix.length()).isBetween(Math.min(text.length(), maxChars - 1), maxChars);
        boolean splitsPair =
                prefix.length() < text.length()
                        && !prefix.isEmpty()
                        && Character.isHighSurrogate(prefix.charAt(prefix.length() - 1))
                        && Character.isLowSurrogate(text.charAt(prefix.length()));
        assertThat(splitsPair).isFalse();
        assertThat(Excerpt.of(text, maxChars))
                .isEqualTo(text.length() <= maxChars ? text : prefix + "…");
    }
}

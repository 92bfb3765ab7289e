package dev.ash.protocol;

import static org.assertj.core.api.Assertions.assertThat;

import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;

class ExcerptTest {
    @Property
    void neitherTooLongNorCutWithinACharacter(
            @ForAll String text, @ForAll @IntRange(max = 300) int most) {
        var beginning = Excerpt.beginning(text, most);

        assertThat(text).startsWith(beginning);
        assertThat(beginning.length()).isBetween(Math.min(text.length(), most - 1), most);
        boolean splits =
                beginning.length() < text.length()
                        && !beginning.isEmpty()
                        && Character.isHighSurrogate(beginning.charAt(beginning.length() - 1))
                        && Character.isLowSurrogate(text.charAt(beginning.length()));
        assertThat(splits).isFalse();
        assertThat(Excerpt.of(text, most))
                .isEqualTo(text.length() <= most ? text : beginning + "…");
    }
}

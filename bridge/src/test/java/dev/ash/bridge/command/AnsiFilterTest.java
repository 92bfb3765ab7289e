package dev.ash.bridge.command;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class AnsiFilterTest {
    private static final String COLORED =
            "a\u001b[1;31mb\u001b[0m\u001b]0;title\u0007c\u001b]8;;http://h\u001b\\d\r\n\te\u0007";

    static List<List<String>> texts() {
        return List.of(
                List.of("plain\n\ttext", "plain\n\ttext"),
                List.of(COLORED, "abcd\n\te"),
                List.of("\u001b(Bx", "Bx"),
                List.of("é\u001b[Kü", "éü"));
    }

    @ParameterizedTest
    @MethodSource("texts")
    void removesControlSequences(List<String> texts) {
        assertThat(new AnsiFilter().filter(texts.getFirst())).isEqualTo(texts.getLast());
    }

    @Property
    void resultDoesNotDependOnParts(@ForAll @IntRange(min = 0, max = 40) int cut) {
        int end = Math.min(cut, COLORED.length());
        var filter = new AnsiFilter();

        assertThat(filter.filter(COLORED.substring(0, end)) + filter.filter(COLORED.substring(end)))
                .isEqualTo("abcd\n\te");
    }
}

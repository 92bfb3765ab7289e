package dev.ash.server.event;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.ash.protocol.ApiException;
import dev.ash.protocol.ErrorCode;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class EventPositionTest {
    @ParameterizedTest
    @CsvSource({
        "0, 0",
        "7, 7",
        "007, 7",
        "999999999999999999, 999999999999999999",
        "9223372036854775807, 9223372036854775807",
        "99999999999999999999999999, 9223372036854775807"
    })
    void parsesNumbersOfAnySize(String text, long position) {
        assertThat(EventPosition.parse(Optional.of(text), Optional.empty())).isEqualTo(position);
        assertThat(EventPosition.parse(Optional.empty(), Optional.of(text))).isEqualTo(position);
    }

    @ParameterizedTest
    @ValueSource(strings = {"-1", "+1", " 1", "1 ", "1.0", "1e3", "0x1", "abc", "１", "1\n"})
    void rejectsInvalidNumbersAndNamesParameter(String text) {
        assertThatThrownBy(() -> EventPosition.parse(Optional.of(text), Optional.of("1")))
                .isInstanceOfSatisfying(
                        ApiException.class,
                        e -> assertThat(e.code()).isEqualTo(ErrorCode.VALIDATION_FAILED))
                .hasMessageContaining("after");
        assertThatThrownBy(() -> EventPosition.parse(Optional.empty(), Optional.of(text)))
                .hasMessageContaining("Last-Event-ID");
    }

    @Test
    void defaultsToBeginningAndPrefersAfter() {
        assertThat(EventPosition.parse(Optional.empty(), Optional.empty())).isZero();
        assertThat(EventPosition.parse(Optional.empty(), Optional.of(""))).isZero();
        assertThat(EventPosition.parse(Optional.of("3"), Optional.of("9"))).isEqualTo(3);
    }
}

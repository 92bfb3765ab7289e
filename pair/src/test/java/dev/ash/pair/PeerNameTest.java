package dev.ash.pair;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.ash.protocol.ApiException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class PeerNameTest {
    @ParameterizedTest
    @ValueSource(strings = {"claude", "codex-2", "gpt5.1_x", "0"})
    void acceptsEngineNames(String name) {
        assertThat(new PeerName(name).value()).isEqualTo(name);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "-a", "Claude", "a b", "a/b", "../x", "ä", "a\n"})
    void rejectsInvalidNames(String name) {
        assertThatThrownBy(() -> new PeerName(name))
                .isInstanceOf(ApiException.class)
                .hasMessageContaining("Invalid peer name");
    }

    @ParameterizedTest
    @ValueSource(strings = {"system", "human"})
    void rejectsReservedNames(String name) {
        assertThatThrownBy(() -> new PeerName(name)).hasMessageContaining("reserved");
    }

    @Test
    void truncatesLongNamesInMessages() {
        assertThatThrownBy(() -> new PeerName("x".repeat(10_000))).message().hasSizeLessThan(400);
    }
}

package dev.ash.protocol;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class SessionStatusTest {
    @ParameterizedTest
    @EnumSource
    void roundTripsThroughWireName(SessionStatus status) {
        assertThat(SessionStatus.ofWire(status.wire())).isEqualTo(status);
        assertThat(status.wire()).isEqualTo(status.wire().toLowerCase(java.util.Locale.ROOT));
    }

    @Test
    void rejectsUnknownNamesAndListsKnownOnes() {
        assertThatThrownBy(() -> SessionStatus.ofWire("ACTIVE"))
                .isInstanceOf(ApiException.class)
                .hasMessageContaining("starting, active, paused, stopped, error, ended");
    }
}

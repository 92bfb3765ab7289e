package dev.ash.protocol;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class TimingLineTest {
    @Test
    void matchesTimingLinesOnly() {
        assertThat(TimingLine.matches("{\"type\":\"timing\",\"source\":\"server\",\"totalMs\":1}"))
                .isTrue();
        assertThat(TimingLine.matches("{\"type\":\"timing\",\"source\":\"server\"")).isFalse();
        assertThat(TimingLine.matches("{\"type\":\"error\"}")).isFalse();
        assertThat(TimingLine.matches("")).isFalse();
    }
}

package dev.ash.server.gateway;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class ErrorFramesTest {
    @Test
    void truncatesLongMessagesBetweenCharacters() {
        assertThat(ErrorFrames.shorten("as it is")).isEqualTo("as it is");
        assertThat(ErrorFrames.shorten("x".repeat(501))).isEqualTo("x".repeat(500) + "…");
        assertThat(ErrorFrames.shorten("x".repeat(499) + "😀")).isEqualTo("x".repeat(499) + "…");
    }

    @Test
    void limitsLengthOfErrorFrames() {
        var frame = ErrorFrames.of("id", GatewayError.BRIDGE_ERROR, "x".repeat(10_000));

        assertThat(frame.payload().toString()).hasSizeLessThan(700);
    }
}

package dev.ash.sandbox;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.ash.protocol.AgentName;
import dev.ash.protocol.ApiException;
import dev.ash.protocol.SandboxId;
import dev.ash.protocol.rest.ResourceLimits;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class SandboxSpecTest {
    private static SandboxSpec spec(String nonce) {
        return new SandboxSpec(
                SandboxId.random(),
                null,
                new AgentName("test"),
                Path.of("/agent"),
                Map.of(),
                ResourceLimits.DEFAULT,
                Network.CLOSED,
                nonce);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "short",
                "fifteen-letters",
                "has a space in it",
                "has-a-newline-in\nit",
                "has-a-quote-'in-it",
                "has-ümlauts-in-it"
            })
    void refusesANonceThatCouldBeGuessedOrCut(String nonce) {
        assertThatThrownBy(() -> spec(nonce))
                .isInstanceOf(ApiException.class)
                .hasMessageContaining("must have 16 to 128 characters");
    }

    @Test
    void refusesANonceThatIsTooLong() {
        assertThat(spec("x".repeat(128)).nonce()).hasSize(128);
        assertThatThrownBy(() -> spec("x".repeat(129))).isInstanceOf(ApiException.class);
    }

    @Test
    void doesNotShowItsNonce() {
        var nonce = LaunchIds.random();

        assertThat(spec(nonce).toString()).doesNotContain(nonce);
    }
}

package dev.ash.server.hooks;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.ash.protocol.ApiException;
import dev.ash.protocol.rest.SecretApi;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.SecureRandom;
import java.time.Clock;
import java.time.Duration;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class HookTokenTest {
    private static final Duration HOUR = Duration.ofHours(1);

    @TempDir Path directory;
    private Clock clock = Clock.systemUTC();

    private String stored() throws Exception {
        return Files.readString(directory.resolve("hook-token")).strip();
    }

    private static boolean accepts(HookToken token, String presented) {
        try {
            token.check(Optional.of("Bearer " + presented));
            return true;
        } catch (ApiException e) {
            return false;
        }
    }

    @Test
    void acceptsPreviousTokenUntilOverlapEnds() throws Exception {
        var token = open(Optional.empty());
        var first = stored();

        token.rotate(HOUR);
        var second = stored();

        assertThat(second).isNotEqualTo(first);
        assertThat(accepts(token, first)).isTrue();
        assertThat(accepts(token, second)).isTrue();
        assertThat(token.status().state()).isEqualTo(SecretApi.OVERLAP);
        assertThat(accepts(open(Optional.empty()), first)).isTrue();
        clock = Clock.offset(clock, HOUR.plusSeconds(1));
        assertThat(accepts(open(Optional.empty()), first)).isFalse();
        assertThat(accepts(open(Optional.empty()), second)).isTrue();
    }

    @Test
    void replacesTokenImmediatelyWithoutOverlap() throws Exception {
        var token = open(Optional.empty());
        var first = stored();
        token.rotate(HOUR);
        var second = stored();

        token.rotate(Duration.ZERO);

        assertThat(accepts(token, first)).isFalse();
        assertThat(accepts(token, second)).isFalse();
        assertThat(accepts(token, stored())).isTrue();
        assertThat(token.status().state()).isEqualTo(SecretApi.CURRENT);
        assertThat(accepts(open(Optional.empty()), second)).isFalse();
    }

    @Test
    void revokesPreviousTokens() throws Exception {
        var token = open(Optional.empty());
        var first = stored();
        token.rotate(HOUR);

        token.revokePrevious();

        assertThat(accepts(token, first)).isFalse();
        assertThat(accepts(open(Optional.empty()), first)).isFalse();
        assertThat(accepts(token, stored())).isTrue();
    }

    @Test
    void storesOnlyHashOfPreviousToken() throws Exception {
        var token = open(Optional.empty());
        var first = stored();
        token.rotate(HOUR);
        var file = directory.resolve("hook-token.previous");

        assertThat(Files.readString(file)).doesNotContain(first);
        assertThat(token.status().toString()).doesNotContain(first, stored());
        assertThat(Files.getPosixFilePermissions(file))
                .isEqualTo(PosixFilePermissions.fromString("rw-------"));
    }

    @Test
    void doesNotRotateTokenOfEnvironment() throws Exception {
        var token = open(Optional.of("mine"));

        assertThat(token.isRotatable()).isFalse();
        assertThat(token.status().state()).isEqualTo(SecretApi.FIXED);
        assertThat(token.status().note()).contains("ASH_HOOK_TOKEN");
    }

    private HookToken open(Optional<String> fromEnvironment) throws Exception {
        return HookToken.open(
                directory.resolve("hook-token"), fromEnvironment, new SecureRandom(), clock);
    }

    @Test
    void createsPrivateFileOnce() throws Exception {
        open(Optional.empty());
        var file = directory.resolve("hook-token");
        var stored = Files.readString(file).strip();

        assertThat(stored).hasSizeGreaterThan(32);
        assertThat(Files.getPosixFilePermissions(file))
                .isEqualTo(PosixFilePermissions.fromString("rw-------"));
        open(Optional.empty()).check(Optional.of("Bearer " + stored));
        assertThat(Files.readString(file).strip()).isEqualTo(stored);
    }

    @Test
    void prefersTokenOfEnvironment() throws Exception {
        var token = open(Optional.of("mine"));
        var stored = Files.readString(directory.resolve("hook-token")).strip();

        token.check(Optional.of("Bearer mine"));
        assertThatThrownBy(() -> token.check(Optional.of("Bearer " + stored)))
                .isInstanceOf(ApiException.class);
        assertThatThrownBy(() -> token.check(Optional.empty())).isInstanceOf(ApiException.class);
    }

    @Test
    void rejectsEmptyFile() throws Exception {
        Files.writeString(directory.resolve("hook-token"), "\n");

        assertThatThrownBy(() -> open(Optional.empty())).hasMessageContaining("is empty");
    }
}

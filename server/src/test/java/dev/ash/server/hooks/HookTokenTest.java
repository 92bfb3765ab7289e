package dev.ash.server.hooks;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.ash.protocol.ApiException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.SecureRandom;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class HookTokenTest {
    @TempDir Path folder;

    private HookToken open(Optional<String> fromEnvironment) throws Exception {
        return HookToken.open(folder.resolve("hook-token"), fromEnvironment, new SecureRandom());
    }

    @Test
    void isMadeOnceForItsOwnerAlone() throws Exception {
        open(Optional.empty());
        var file = folder.resolve("hook-token");
        var made = Files.readString(file).strip();

        assertThat(made).hasSizeGreaterThan(32);
        assertThat(Files.getPosixFilePermissions(file))
                .isEqualTo(PosixFilePermissions.fromString("rw-------"));
        open(Optional.empty()).check(Optional.of("Bearer " + made));
        assertThat(Files.readString(file).strip()).isEqualTo(made);
    }

    @Test
    void isTheEnvironmentsWhereThatHasOne() throws Exception {
        var token = open(Optional.of("mine"));
        var made = Files.readString(folder.resolve("hook-token")).strip();

        token.check(Optional.of("Bearer mine"));
        assertThatThrownBy(() -> token.check(Optional.of("Bearer " + made)))
                .isInstanceOf(ApiException.class);
        assertThatThrownBy(() -> token.check(Optional.empty())).isInstanceOf(ApiException.class);
    }

    @Test
    void isNotMissingBecauseItsFileIsEmpty() throws Exception {
        Files.writeString(folder.resolve("hook-token"), "\n");

        assertThatThrownBy(() -> open(Optional.empty())).hasMessageContaining("is empty");
    }
}

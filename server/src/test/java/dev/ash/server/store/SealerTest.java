package dev.ash.server.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.SecureRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SealerTest {
    private static final byte[] SECRET = "a secret".getBytes(StandardCharsets.UTF_8);

    @TempDir Path folder;

    @Test
    void opensWhatAnEarlierServerSealed() throws Exception {
        var file = folder.resolve("key");
        var sealed = Sealer.open(file, new SecureRandom()).seal(SECRET);

        assertThat(Sealer.open(file, new SecureRandom()).unseal(sealed)).isEqualTo(SECRET);
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file)))
                .isEqualTo("rw-------");
    }

    @Test
    void neverSealsTheSameBytesTheSameWay() throws Exception {
        var sealer = Sealer.open(folder.resolve("key"), new SecureRandom());

        assertThat(sealer.seal(SECRET)).isNotEqualTo(sealer.seal(SECRET));
    }

    @Test
    void refusesWhatWasChanged() throws Exception {
        var sealer = Sealer.open(folder.resolve("key"), new SecureRandom());
        var sealed = sealer.seal(SECRET);
        sealed[sealed.length - 1] ^= 1;

        assertThatThrownBy(() -> sealer.unseal(sealed)).hasMessageContaining("damaged");
    }
}

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

    @TempDir Path directory;

    @Test
    void unsealsValuesAfterReopen() throws Exception {
        var file = directory.resolve("key");
        var sealed = Sealer.open(file, new SecureRandom()).seal(SECRET);

        assertThat(Sealer.open(file, new SecureRandom()).unseal(sealed)).isEqualTo(SECRET);
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file)))
                .isEqualTo("rw-------");
    }

    @Test
    void sealsEqualValuesDifferently() throws Exception {
        var sealer = Sealer.open(directory.resolve("key"), new SecureRandom());

        assertThat(sealer.seal(SECRET)).isNotEqualTo(sealer.seal(SECRET));
    }

    @Test
    void rejectsModifiedValues() throws Exception {
        var sealer = Sealer.open(directory.resolve("key"), new SecureRandom());
        var sealed = sealer.seal(SECRET);
        sealed[sealed.length - 1] ^= 1;

        assertThatThrownBy(() -> sealer.unseal(sealed)).hasMessageContaining("damaged");
    }
}

package dev.ash.sandbox;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.ash.protocol.ApiException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class DataDirectoryTest {
    private TestBed bed;

    @BeforeEach
    void open() throws IOException {
        bed = new TestBed();
    }

    @AfterEach
    void close() throws IOException {
        bed.close();
    }

    private void openIn(Path dataDir) {
        var config =
                new SandboxConfig(
                        dataDir,
                        List.of(),
                        List.of("true"),
                        Map.of(),
                        Map.of(),
                        List.of(),
                        1,
                        false,
                        Duration.ofSeconds(1),
                        id -> "placeholder of " + id);
        bed.open(config).close();
    }

    @Test
    void reportsDirectoryThatSandboxesCannotEnter() throws IOException {
        TestBed.needsRoot();
        var closed = Files.createDirectory(bed.root.resolve("home"));
        Files.setPosixFilePermissions(closed, PosixFilePermissions.fromString("rwx------"));

        assertThatThrownBy(() -> openIn(closed.resolve("ash")))
                .isInstanceOf(ApiException.class)
                .hasMessageContaining(closed + " has mode 0700")
                .hasMessageContaining("ASH_DATA_DIR")
                .hasMessageContaining("chmod o+x " + closed);
    }

    @Test
    void reportsMaximumPathLength() {
        var deep = bed.root.resolve("d".repeat(80));

        assertThatThrownBy(() -> openIn(deep))
                .isInstanceOf(ApiException.class)
                .hasMessageContaining("too long")
                .hasMessageContaining("at most 76 bytes");
    }

    @Test
    void acceptsLongestPath() {
        int rest = 76 - bed.root.toString().length() - 1;

        openIn(bed.root.resolve("d".repeat(rest)));
    }

    @Test
    void rejectsFileAsDataDirectory() throws IOException {
        var file = Files.createFile(bed.root.resolve("file"));

        assertThatThrownBy(() -> openIn(file))
                .isInstanceOf(ApiException.class)
                .hasMessageContaining("Cannot prepare sandboxes in the data directory " + file);
    }

    @Test
    void setsModesRegardlessOfUmask() throws IOException {
        openIn(bed.dataDir);

        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(bed.dataDir)))
                .isEqualTo("rwx--x--x");
        assertThat(mode("run")).isEqualTo("rwx--x--x");
        assertThat(mode("sandboxes")).isEqualTo("rwx--x--x");
        assertThat(mode("logs")).isEqualTo("rwx------");
        assertThat(mode("etc")).isEqualTo("rwxr-xr-x");
        assertThat(bed.dataDir.resolve("sandboxes")).isEmptyDirectory();
    }

    private String mode(String directory) throws IOException {
        return PosixFilePermissions.toString(
                Files.getPosixFilePermissions(bed.dataDir.resolve(directory)));
    }
}

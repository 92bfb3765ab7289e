package dev.ash.sandbox.limits;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class DiskUsageTest {
    private static final long MB = 1024 * 1024;
    private static final long LIMIT = 100 * MB;

    @TempDir private Path folder;

    private long measure() {
        return DiskUsage.measure(List.of(folder), List.of(), LIMIT);
    }

    private Path write(String name, int bytes) throws IOException {
        return Files.write(folder.resolve(name), new byte[bytes]);
    }

    @Test
    void countsFilesInAllFolders() throws IOException {
        Files.createDirectories(folder.resolve("a/b/c"));
        write("a/b/c/one", (int) MB);
        write("two", (int) MB);

        assertThat(measure()).isBetween(2 * MB, 2 * MB + 100_000);
    }

    @Test
    void countsOfASparseFileWhatIsThere() throws IOException {
        try (var file = new RandomAccessFile(folder.resolve("sparse").toFile(), "rw")) {
            file.setLength(50L * 1024 * MB);
        }

        assertThat(measure()).isLessThan(MB);
    }

    @Test
    void countsAFileWithTwoNamesOnce() throws IOException {
        Files.createLink(folder.resolve("again"), write("one", (int) (4 * MB)));

        assertThat(measure()).isBetween(4 * MB, 4 * MB + 100_000);
    }

    @Test
    void followsNoLinks() throws IOException {
        Files.createSymbolicLink(folder.resolve("root"), Path.of("/"));
        Files.createSymbolicLink(folder.resolve("self"), folder);

        assertThat(measure()).isLessThan(100_000);
    }

    /** Its bytes are no text, and what Java makes of them is the name of another. */
    @Test
    void countsAFileWithAStrangeName() throws Exception {
        shell("head -c 4M /dev/zero > $'\\377'; touch $'\\357\\277\\275' z");

        assertThat(measure()).isBetween(4 * MB, 4 * MB + 100_000);
    }

    @Test
    void whatLiesTooDeepToBeFoundIsTooMuch() throws Exception {
        var script =
                "for i in $(seq 200); do mkdir verschachtelt-tief-日本語 && cd verschachtelt-tief-日本語 || exit; done";
        shell(script + "; head -c 4M /dev/zero > hidden");

        assertThat(measure()).isGreaterThan(LIMIT);
        shell("rm -rf versch*");
    }

    private void shell(String script) throws Exception {
        new ProcessBuilder("bash", "-c", script).directory(folder.toFile()).start().waitFor();
    }

    @Test
    void stopsAboveTheLimit() throws IOException {
        for (int i = 0; i < 10; i++) {
            write("file" + i, (int) MB);
        }

        assertThat(DiskUsage.measure(List.of(folder), List.of(), 3 * MB)).isBetween(3 * MB, 5 * MB);
    }

    @Test
    void emptyFilesCostSomethingToo() throws IOException {
        for (int i = 0; i < 1000; i++) {
            write("file" + i, 0);
        }

        assertThat(measure()).isGreaterThanOrEqualTo(256_000);
    }

    @Test
    void countsWhatWasDeletedButIsStillOpen() throws IOException {
        var path = write("gone", (int) (8 * MB));
        try (var file = new RandomAccessFile(path.toFile(), "r")) {
            assertThat(file.read()).isZero();
            Files.delete(path);
            assertThat(measure()).isLessThan(MB);

            long used =
                    DiskUsage.measure(
                            List.of(folder), List.of(ProcessHandle.current().pid()), LIMIT);

            assertThat(used).isGreaterThanOrEqualTo(8 * MB);
        }
    }

    @Test
    void aFolderThatIsGoneTakesNothing() {
        assertThat(DiskUsage.measure(List.of(folder.resolve("none")), List.of(), LIMIT)).isZero();
    }
}

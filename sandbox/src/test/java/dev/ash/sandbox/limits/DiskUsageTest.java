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

    @TempDir private Path directory;

    private long measure() {
        return DiskUsage.measure(List.of(directory), List.of(), LIMIT);
    }

    private Path write(String name, int bytes) throws IOException {
        return Files.write(directory.resolve(name), new byte[bytes]);
    }

    @Test
    void countsFilesInAllDirectories() throws IOException {
        Files.createDirectories(directory.resolve("a/b/c"));
        write("a/b/c/one", (int) MB);
        write("two", (int) MB);

        assertThat(measure()).isBetween(2 * MB, 2 * MB + 100_000);
    }

    @Test
    void countsAllocatedBlocksOfSparseFile() throws IOException {
        try (var file = new RandomAccessFile(directory.resolve("sparse").toFile(), "rw")) {
            file.setLength(50L * 1024 * MB);
        }

        assertThat(measure()).isLessThan(MB);
    }

    @Test
    void countsHardLinkedFileOnce() throws IOException {
        Files.createLink(directory.resolve("again"), write("one", (int) (4 * MB)));

        assertThat(measure()).isBetween(4 * MB, 4 * MB + 100_000);
    }

    @Test
    void doesNotFollowLinks() throws IOException {
        Files.createSymbolicLink(directory.resolve("root"), Path.of("/"));
        Files.createSymbolicLink(directory.resolve("self"), directory);

        assertThat(measure()).isLessThan(100_000);
    }

    /** The name is not valid UTF-8, and Java decodes it to the name of another file. */
    @Test
    void countsFileWithUndecodableName() throws Exception {
        shell("head -c 4M /dev/zero > $'\\377'; touch $'\\357\\277\\275' z");

        assertThat(measure()).isBetween(4 * MB, 4 * MB + 100_000);
    }

    @Test
    void treatsTooDeepDirectoriesAsExceedingLimit() throws Exception {
        var script =
                "for i in $(seq 200); do mkdir verschachtelt-tief-日本語 && cd verschachtelt-tief-日本語 || exit; done";
        shell(script + "; head -c 4M /dev/zero > hidden");

        assertThat(measure()).isGreaterThan(LIMIT);
        shell("rm -rf versch*");
    }

    private void shell(String script) throws Exception {
        new ProcessBuilder("bash", "-c", script).directory(directory.toFile()).start().waitFor();
    }

    @Test
    void stopsAboveTheLimit() throws IOException {
        for (int i = 0; i < 10; i++) {
            write("file" + i, (int) MB);
        }

        assertThat(DiskUsage.measure(List.of(directory), List.of(), 3 * MB))
                .isBetween(3 * MB, 5 * MB);
    }

    @Test
    void chargesForEmptyFiles() throws IOException {
        for (int i = 0; i < 1000; i++) {
            write("file" + i, 0);
        }

        assertThat(measure()).isGreaterThanOrEqualTo(256_000);
    }

    @Test
    void countsDeletedOpenFiles() throws IOException {
        var path = write("gone", (int) (8 * MB));
        try (var file = new RandomAccessFile(path.toFile(), "r")) {
            assertThat(file.read()).isZero();
            Files.delete(path);
            assertThat(measure()).isLessThan(MB);

            long used =
                    DiskUsage.measure(
                            List.of(directory), List.of(ProcessHandle.current().pid()), LIMIT);

            assertThat(used).isGreaterThanOrEqualTo(8 * MB);
        }
    }

    @Test
    void countsMissingDirectoryAsEmpty() {
        assertThat(DiskUsage.measure(List.of(directory.resolve("none")), List.of(), LIMIT))
                .isZero();
    }
}

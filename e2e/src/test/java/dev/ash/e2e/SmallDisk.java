package dev.ash.e2e;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** Small mounted file system that tests can fill completely. */
public record SmallDisk(Path path) implements AutoCloseable {
    /** Mounts a tmpfs. Skips the test if mounting is not permitted, but fails it on CI. */
    static SmallDisk mount(Path path, String options) throws IOException {
        Files.createDirectories(path);
        boolean mounted = run("mount", "-t", "tmpfs", "-o", options, "tmpfs", path.toString()) == 0;
        require(mounted, "mounting a small disk requires root");
        return new SmallDisk(path);
    }

    /**
     * Mounts an ext4 image file, like a separate disk. Skips the test if mounting is not permitted,
     * but fails it on CI.
     */
    public static SmallDisk image(Path path, int mb) throws IOException {
        Files.createDirectories(path);
        var image = path.resolveSibling(path.getFileName() + ".img").toString();
        boolean mounted =
                run("truncate", "-s", mb + "M", image) == 0
                        && run("mkfs.ext4", "-q", "-m", "0", image) == 0
                        && run("mount", "-o", "loop", image, path.toString()) == 0
                        && run("chmod", "0711", path.toString()) == 0;
        require(mounted, "mounting a disk image requires root and loop devices");
        return new SmallDisk(path);
    }

    private static void require(boolean mounted, String requirement) {
        if ("true".equals(System.getenv("CI"))) {
            assertThat(mounted).as(requirement).isTrue();
        }
        assumeTrue(mounted, requirement);
    }

    /** Fills the disk until this many bytes are free; returns the file that uses the space. */
    public Path leave(long bytes) throws IOException {
        var filler = path.resolve("filler");
        long size = path.toFile().getUsableSpace() - bytes;
        assertThat(size).as("bytes to allocate").isPositive();
        assertThat(run("fallocate", "-l", Long.toString(size), filler.toString())).isZero();
        return filler;
    }

    /** Fills the disk completely; returns the file to delete afterwards. */
    Path fill() throws IOException {
        var filler = path.resolve("filler");
        for (var size : new int[] {64 * 1024, 1024, 1}) { // down to the last byte
            var block = new byte[size];
            try (var out =
                    Files.newOutputStream(
                            filler,
                            java.nio.file.StandardOpenOption.CREATE,
                            java.nio.file.StandardOpenOption.APPEND)) {
                while (true) {
                    out.write(block);
                }
            } catch (IOException e) {
                assertThat(e).hasMessageContaining("No space left");
            }
        }
        return filler;
    }

    @Override
    public void close() throws IOException {
        if (run("umount", path.toString()) != 0) {
            run("umount", "-l", path.toString());
        }
    }

    private static int run(String... command) throws IOException {
        return new ProcessBuilder(command).inheritIO().start().onExit().join().exitValue();
    }
}

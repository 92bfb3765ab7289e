package dev.ash.e2e;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** A small file system of its own, which can be filled to the last byte. */
public record SmallDisk(Path path) implements AutoCloseable {
    /** Where nothing can be mounted the test is skipped, but not on CI, where nobody would see. */
    static SmallDisk mount(Path path, String options) throws IOException {
        Files.createDirectories(path);
        boolean mounted = run("mount", "-t", "tmpfs", "-o", options, "tmpfs", path.toString()) == 0;
        require(mounted, "this test mounts a small disk, which needs root");
        return new SmallDisk(path);
    }

    /** The same with ext4 in an image file, as a disk of its own would be. */
    public static SmallDisk image(Path path, int mb) throws IOException {
        Files.createDirectories(path);
        var image = path.resolveSibling(path.getFileName() + ".img").toString();
        boolean mounted =
                run("truncate", "-s", mb + "M", image) == 0
                        && run("mkfs.ext4", "-q", "-m", "0", image) == 0
                        && run("mount", "-o", "loop", image, path.toString()) == 0
                        && run("chmod", "0711", path.toString()) == 0;
        require(mounted, "this test mounts a disk image, which needs root and loop devices");
        return new SmallDisk(path);
    }

    private static void require(boolean mounted, String why) {
        if ("true".equals(System.getenv("CI"))) {
            assertThat(mounted).as(why).isTrue();
        }
        assumeTrue(mounted, why);
    }

    /** Takes so much of the room that this much is left; returns the file that takes it. */
    public Path leave(long bytes) throws IOException {
        var ballast = path.resolve("ballast");
        long size = path.toFile().getUsableSpace() - bytes;
        assertThat(size).as("what there is to take").isPositive();
        assertThat(run("fallocate", "-l", Long.toString(size), ballast.toString())).isZero();
        return ballast;
    }

    /** Leaves no room for anything; returns the file to delete afterwards. */
    Path fill() throws IOException {
        var ballast = path.resolve("ballast");
        for (var size : new int[] {64 * 1024, 1024, 1}) { // the rest of the rest
            var block = new byte[size];
            try (var out =
                    Files.newOutputStream(
                            ballast,
                            java.nio.file.StandardOpenOption.CREATE,
                            java.nio.file.StandardOpenOption.APPEND)) {
                while (true) {
                    out.write(block);
                }
            } catch (IOException e) {
                assertThat(e).hasMessageContaining("No space left");
            }
        }
        return ballast;
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

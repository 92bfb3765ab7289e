package dev.ash.e2e;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** A small file system of its own, which can be filled to the last byte. */
record SmallDisk(Path path) implements AutoCloseable {
    /** Where nothing can be mounted the test is skipped, but not on CI, where nobody would see. */
    static SmallDisk mount(Path path, String options) throws IOException {
        Files.createDirectories(path);
        boolean mounted = run("mount", "-t", "tmpfs", "-o", options, "tmpfs", path.toString()) == 0;
        var why = "this test mounts a small disk, which needs root";
        if ("true".equals(System.getenv("CI"))) {
            assertThat(mounted).as(why).isTrue();
        }
        assumeTrue(mounted, why);
        return new SmallDisk(path);
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

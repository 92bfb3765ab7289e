package dev.ash.server.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** A small file system mounted for one test, which requires root. */
record SmallDisk(Path path) implements AutoCloseable {
    static SmallDisk mount(Path directory, int megabytes) throws IOException, InterruptedException {
        boolean isRoot = "root".equals(System.getProperty("user.name"));
        if ("true".equals(System.getenv("CI"))) {
            assertThat(isRoot).as("tests run as root, to mount a small disk").isTrue();
        }
        assumeTrue(isRoot, "mounting a small disk requires root");
        var path = Files.createDirectory(directory.resolve("disk"));
        run("mount", "-t", "tmpfs", "-o", "mode=0700,size=" + megabytes + "m", "tmpfs", "" + path);
        return new SmallDisk(path);
    }

    void remountReadOnly() throws IOException, InterruptedException {
        run("mount", "-o", "remount,ro", path.toString());
    }

    /** Fills the disk with a file and returns it; delete it to free the space. */
    Path fill() throws IOException {
        var ballast = path.resolve("ballast");
        try (var out = Files.newOutputStream(ballast)) {
            while (true) {
                out.write(new byte[4096]);
            }
        } catch (IOException e) {
            return ballast; // no space left
        }
    }

    private static void run(String... command) throws IOException, InterruptedException {
        int status = new ProcessBuilder(command).inheritIO().start().waitFor();
        assertThat(status).as(String.join(" ", command)).isZero();
    }

    @Override
    public void close() throws IOException {
        try {
            run("umount", "--lazy", path.toString());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}

package dev.ash.server.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** A real file system of a few megabytes, mounted for one test; only root can do that. */
record SmallDisk(Path path) implements AutoCloseable {
    static SmallDisk mount(Path folder, int megabytes) throws IOException, InterruptedException {
        boolean isRoot = "root".equals(System.getProperty("user.name"));
        if ("true".equals(System.getenv("CI"))) {
            assertThat(isRoot).as("run by root, who can mount a small disk").isTrue();
        }
        assumeTrue(isRoot, "a small disk can only be mounted by root");
        var path = Files.createDirectory(folder.resolve("disk"));
        run("mount", "-t", "tmpfs", "-o", "mode=0700,size=" + megabytes + "m", "tmpfs", "" + path);
        return new SmallDisk(path);
    }

    void readOnly() throws IOException, InterruptedException {
        run("mount", "-o", "remount,ro", path.toString());
    }

    /** Takes what is left; delete it, and there is room again. */
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

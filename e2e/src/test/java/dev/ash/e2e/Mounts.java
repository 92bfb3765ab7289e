package dev.ash.e2e;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** Mount points of this machine, read from the kernel's mount table. */
public final class Mounts {
    private static final Path TABLE = Path.of("/proc/self/mountinfo");

    /**
     * Returns the mount points below a directory, innermost first, without the directory itself.
     */
    public static List<Path> below(Path directory) {
        try {
            return Files.readAllLines(TABLE).stream()
                    .map(line -> Path.of(line.split(" ")[4]))
                    .filter(
                            mountPoint ->
                                    mountPoint.startsWith(directory)
                                            && !mountPoint.equals(directory))
                    .toList()
                    .reversed();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Detaches mounts of disk images only: other mounts belong to the test that created them. */
    static void detachBelow(Path directory) throws IOException {
        for (var mountPoint : below(directory)) {
            if (mountPoint.getParent().endsWith("sandboxes")
                    || mountPoint.getParent().endsWith("disks")) {
                run("umount", "--lazy", mountPoint.toString());
            }
        }
    }

    public static int run(String... command) throws IOException {
        return new ProcessBuilder(command).inheritIO().start().onExit().join().exitValue();
    }

    private Mounts() {}
}

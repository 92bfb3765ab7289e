package dev.ash.e2e;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** What is mounted on this machine, as the kernel tells. */
public final class Mounts {
    private static final Path TABLE = Path.of("/proc/self/mountinfo");

    /** Mount points below a folder, the innermost first; not the folder itself. */
    public static List<Path> below(Path folder) {
        try {
            return Files.readAllLines(TABLE).stream()
                    .map(line -> Path.of(line.split(" ")[4]))
                    .filter(place -> place.startsWith(folder) && !place.equals(folder))
                    .toList()
                    .reversed();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Those of disk images only: other mounts belong to the test that made them. */
    static void detachBelow(Path folder) throws IOException {
        for (var place : below(folder)) {
            if (place.getParent().endsWith("sandboxes") || place.getParent().endsWith("disks")) {
                run("umount", "--lazy", place.toString());
            }
        }
    }

    public static int run(String... command) throws IOException {
        return new ProcessBuilder(command).inheritIO().start().onExit().join().exitValue();
    }

    private Mounts() {}
}

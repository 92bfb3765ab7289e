package dev.ash.sandbox.disk;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** Reads the mounts that are visible to this process. */
final class MountTable {
    private static final Path FILE = Path.of("/proc/self/mountinfo");
    private static final int MOUNT_POINT = 4;

    /** Returns the mount points directly in a directory. */
    static List<Path> in(Path directory) throws IOException {
        if (!Files.isReadable(FILE)) {
            return List.of(); // not Linux: no images
        }
        return Files.readAllLines(FILE).stream()
                .map(line -> Path.of(decode(line.split(" ", -1)[MOUNT_POINT])))
                .filter(mountPoint -> directory.equals(mountPoint.getParent()))
                .distinct()
                .toList();
    }

    /** Whether a directory is a mount point: its device differs from its parent's. */
    static boolean isMounted(Path mountPoint) throws IOException {
        return Files.isDirectory(mountPoint)
                && !Files.getAttribute(mountPoint, "unix:dev")
                        .equals(Files.getAttribute(mountPoint.resolveSibling("."), "unix:dev"));
    }

    /** Decodes the octal escapes of blanks, tabs, line feeds and backslashes. */
    private static String decode(String text) {
        return text.replace("\\040", " ")
                .replace("\\011", "\t")
                .replace("\\012", "\n")
                .replace("\\134", "\\");
    }

    private MountTable() {}
}

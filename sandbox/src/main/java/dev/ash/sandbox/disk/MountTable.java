package dev.ash.sandbox.disk;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** What the kernel has mounted, as this process sees it. */
final class MountTable {
    private static final Path FILE = Path.of("/proc/self/mountinfo");
    private static final int PLACE = 4;

    /** Mount points directly in a folder. */
    static List<Path> in(Path folder) throws IOException {
        if (!Files.isReadable(FILE)) {
            return List.of(); // a system without such a file, and without images
        }
        return Files.readAllLines(FILE).stream()
                .map(line -> Path.of(decoded(line.split(" ", -1)[PLACE])))
                .filter(place -> folder.equals(place.getParent()))
                .distinct()
                .toList();
    }

    /** A mounted folder lies on another device than the folder that it is in. */
    static boolean isMounted(Path place) throws IOException {
        return Files.isDirectory(place)
                && !Files.getAttribute(place, "unix:dev")
                        .equals(Files.getAttribute(place.resolveSibling("."), "unix:dev"));
    }

    /** Blanks, tabs, line feeds and backslashes are written as three octal digits. */
    private static String decoded(String text) {
        return text.replace("\\040", " ")
                .replace("\\011", "\t")
                .replace("\\012", "\n")
                .replace("\\134", "\\");
    }

    private MountTable() {}
}

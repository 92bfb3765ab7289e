package dev.ash.sandbox.limits;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * What the kernel holds each single process to.
 *
 * @param fileBytes the size of a file that it writes
 * @param openFiles its descriptors
 */
public record Rlimits(long fileBytes, long openFiles) {
    private static final long OPEN_FILES = 4096;
    private static final Path OWN = Path.of("/proc/self/limits");

    /** As far as the server's own limits allow. */
    public static Rlimits of(Bounds bounds) {
        return new Rlimits(
                Math.min(bounds.diskBytes(), hard(OWN, "Max file size")),
                Math.min(OPEN_FILES, hard(OWN, "Max open files")));
    }

    /** That a process has them. */
    public void verify(long pid) throws IOException {
        var file = Path.of("/proc", Long.toString(pid), "limits");
        if (!Files.exists(file)) {
            return; // a system without such files
        }
        require(file, "Max file size", fileBytes);
        require(file, "Max open files", openFiles);
        require(file, "Max core file size", 0);
    }

    private static void require(Path file, String name, long value) throws IOException {
        long seen = hard(file, name);
        if (seen != value) {
            throw new IOException("%s in %s is %d and not %d".formatted(name, file, seen, value));
        }
    }

    /** The hard limit: the second number after a name of several words. */
    private static long hard(Path file, String name) {
        try {
            for (var line : Files.readAllLines(file)) {
                if (line.startsWith(name)) {
                    var words = line.substring(name.length()).strip().split(" +", -1);
                    return words[1].equals("unlimited") ? Long.MAX_VALUE : Long.parseLong(words[1]);
                }
            }
        } catch (IOException e) {
            return Long.MAX_VALUE;
        }
        return Long.MAX_VALUE;
    }
}

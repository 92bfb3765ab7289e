package dev.ash.sandbox.limits;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * The limits of each single process (rlimits).
 *
 * @param fileBytes maximum size of a file that it writes
 * @param openFiles maximum number of open descriptors
 */
public record Rlimits(long fileBytes, long openFiles) {
    private static final long OPEN_FILES = 4096;
    private static final Path OWN = Path.of("/proc/self/limits");

    /** Returns the rlimits of a sandbox, capped by the server's own. */
    public static Rlimits of(ResolvedLimits limits) {
        return new Rlimits(
                Math.min(limits.diskBytes(), hard(OWN, "Max file size")),
                Math.min(OPEN_FILES, hard(OWN, "Max open files")));
    }

    /** Verifies that a process has these limits. */
    public void verify(long pid) throws IOException {
        var file = Path.of("/proc", Long.toString(pid), "limits");
        if (!Files.exists(file)) {
            return; // no procfs
        }
        require(file, "Max file size", fileBytes);
        require(file, "Max open files", openFiles);
        require(file, "Max core file size", 0);
    }

    private static void require(Path file, String name, long value) throws IOException {
        long actual = hard(file, name);
        if (actual != value) {
            throw new IOException(
                    "%s in %s is %d, expected %d".formatted(name, file, actual, value));
        }
    }

    /** Returns a hard limit: the second value after the name. */
    private static long hard(Path file, String name) {
        try {
            for (var line : Files.readAllLines(file)) {
                if (line.startsWith(name)) {
                    var values = line.substring(name.length()).strip().split(" +", -1);
                    return values[1].equals("unlimited")
                            ? Long.MAX_VALUE
                            : Long.parseLong(values[1]);
                }
            }
        } catch (IOException e) {
            return Long.MAX_VALUE;
        }
        return Long.MAX_VALUE;
    }
}

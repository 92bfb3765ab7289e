package dev.ash.bench.server;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** Memory of processes in megabytes, from {@code /proc}. */
public final class ProcessMemory {
    private static final double KILOBYTES = 1024;

    /** Returns the resident set size. */
    public static double rss(long pid) throws IOException {
        return sum(Path.of("/proc/" + pid + "/status"), List.of("VmRSS:"));
    }

    /** Returns the memory that no other process shares. */
    public static double privateMemory(long pid) throws IOException {
        return sum(
                Path.of("/proc/" + pid + "/smaps_rollup"),
                List.of("Private_Clean:", "Private_Dirty:"));
    }

    private static double sum(Path file, List<String> names) throws IOException {
        double sum = 0;
        for (var line : Files.readAllLines(file)) {
            if (names.stream().anyMatch(line::startsWith)) {
                sum += Long.parseLong(line.replaceAll("\\D", "")) / KILOBYTES;
            }
        }
        if (sum == 0) {
            throw new IOException(file + " has none of " + names);
        }
        return sum;
    }

    private ProcessMemory() {}
}

package dev.ash.sandbox.limits;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collection;
import java.util.HashMap;
import java.util.Map;

/**
 * How much the processes of a sandbox have lately written to disks, as the kernel counts it:
 * whatever file it went to, and whether or not that file has a name.
 */
final class WrittenBytes {
    private final Growth growth = new Growth();
    private Map<Long, Long> seen = Map.of();
    private long sum;

    WrittenBytes() {
        growth.add(0); // before it began, nothing
    }

    void look(Collection<Long> processes) {
        var now = new HashMap<Long, Long>();
        for (long process : processes) {
            long written = written(process);
            now.put(process, written);
            sum += Math.max(0, written - seen.getOrDefault(process, 0L));
        }
        seen = now;
        growth.add(sum);
    }

    long bytes() {
        return growth.bytes();
    }

    /** From the latest look on. */
    void restart() {
        growth.restart();
    }

    private static long written(long process) {
        try {
            return Files.readAllLines(Path.of("/proc/" + process + "/io")).stream()
                    .filter(line -> line.startsWith("write_bytes: "))
                    .mapToLong(line -> Long.parseLong(line.substring("write_bytes: ".length())))
                    .sum();
        } catch (IOException e) {
            return 0; // it has ended, or is not ours to look at
        }
    }
}

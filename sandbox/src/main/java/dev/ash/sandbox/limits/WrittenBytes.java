package dev.ash.sandbox.limits;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collection;
import java.util.HashMap;
import java.util.Map;

/**
 * The bytes that the processes of a sandbox have recently written to disks, as counted by the
 * kernel, whatever the file and whether or not it has a name.
 */
final class WrittenBytes {
    private final Growth growth = new Growth();
    private Map<Long, Long> previous = Map.of();
    private long sum;

    WrittenBytes() {
        growth.add(0); // baseline
    }

    void sample(Collection<Long> processes) {
        var now = new HashMap<Long, Long>();
        for (long process : processes) {
            long written = written(process);
            now.put(process, written);
            sum += Math.max(0, written - previous.getOrDefault(process, 0L));
        }
        previous = now;
        growth.add(sum);
    }

    long bytes() {
        return growth.bytes();
    }

    /** Discards all samples but the latest. */
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
            return 0; // exited, or not permitted
        }
    }
}

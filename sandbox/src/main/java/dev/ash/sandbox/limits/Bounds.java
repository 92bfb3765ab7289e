package dev.ash.sandbox.limits;

import dev.ash.protocol.rest.ResourceLimits;
import org.jspecify.annotations.Nullable;

/** The limits of one sandbox, all of them decided. */
public record Bounds(int memoryMb, int cpuPercent, int pids, int diskMb) {
    private static final long MB = 1024 * 1024;

    public Bounds {
        if (Math.min(Math.min(memoryMb, cpuPercent), Math.min(pids, diskMb)) < 1) {
            throw new IllegalArgumentException("a limit must be at least 1");
        }
    }

    public static Bounds of(ResourceLimits limits) {
        return new Bounds(
                known(limits.memoryMb(), ResourceLimits.DEFAULT.memoryMb()),
                known(limits.cpuPercent(), ResourceLimits.DEFAULT.cpuPercent()),
                known(limits.pids(), ResourceLimits.DEFAULT.pids()),
                known(limits.diskMb(), ResourceLimits.DEFAULT.diskMb()));
    }

    public long memoryBytes() {
        return memoryMb * MB;
    }

    public long diskBytes() {
        return diskMb * MB;
    }

    private static int known(@Nullable Integer value, @Nullable Integer otherwise) {
        if (value != null) {
            return value;
        }
        return otherwise == null ? 0 : otherwise;
    }
}

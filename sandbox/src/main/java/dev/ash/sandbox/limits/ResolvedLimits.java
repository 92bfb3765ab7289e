package dev.ash.sandbox.limits;

import dev.ash.protocol.rest.ResourceLimits;
import org.jspecify.annotations.Nullable;

/** The resource limits of one sandbox, with defaults applied. */
public record ResolvedLimits(int memoryMb, int cpuPercent, int pids, int diskMb) {
    private static final long MB = 1024 * 1024;

    public ResolvedLimits {
        if (Math.min(Math.min(memoryMb, cpuPercent), Math.min(pids, diskMb)) < 1) {
            throw new IllegalArgumentException("every limit must be at least 1");
        }
    }

    public static ResolvedLimits of(ResourceLimits limits) {
        return new ResolvedLimits(
                orDefault(limits.memoryMb(), ResourceLimits.DEFAULT.memoryMb()),
                orDefault(limits.cpuPercent(), ResourceLimits.DEFAULT.cpuPercent()),
                orDefault(limits.pids(), ResourceLimits.DEFAULT.pids()),
                orDefault(limits.diskMb(), ResourceLimits.DEFAULT.diskMb()));
    }

    public long memoryBytes() {
        return memoryMb * MB;
    }

    public long diskBytes() {
        return diskMb * MB;
    }

    private static int orDefault(@Nullable Integer value, @Nullable Integer defaultValue) {
        if (value != null) {
            return value;
        }
        return defaultValue == null ? 0 : defaultValue;
    }
}

package dev.ash.sandbox.limits;

import dev.ash.protocol.ApiException;
import dev.ash.protocol.ErrorCode;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/** The space on the disk of the data directory that sandboxes must leave free. */
public record DiskReserve(Path dataDir, long bytes) {
    private static final long MB = 1024 * 1024;
    private static final long DEFAULT_BYTES = 1024 * MB;
    private static final int DEFAULT_PART = 20;

    /** Returns a reserve of {@code mb} megabytes; by default 1 GB, but at most 5% of the disk. */
    public static DiskReserve of(Path dataDir, @Nullable Integer mb) {
        long total = dataDir.toFile().getTotalSpace();
        return new DiskReserve(
                dataDir, mb == null ? Math.min(DEFAULT_BYTES, total / DEFAULT_PART) : mb * MB);
    }

    long freeBytes() {
        return dataDir.toFile().getUsableSpace();
    }

    boolean isViolatedBy(long freeBytes) {
        return freeBytes < bytes;
    }

    /** Throws if less than the reserve is free. */
    public void require() {
        long free = freeBytes();
        if (isViolatedBy(free)) {
            throw new ApiException(
                    ErrorCode.DISK_FULL,
                    ("Cannot create a sandbox: the disk of the data directory is full. It has %d MB"
                                    + " free, and %d MB must stay free. Free some space, or lower"
                                    + " ASH_DISK_RESERVE_MB.")
                            .formatted(free / MB, (bytes + MB - 1) / MB));
        }
    }

    /** Describes why a sandbox was terminated to restore the reserve. */
    String terminationReason() {
        return ("Less than %d MB of the data directory's disk were free, and its files grew fastest."
                        + " Free some space on the host, or lower ASH_DISK_RESERVE_MB.")
                .formatted((bytes + MB - 1) / MB);
    }
}

package dev.ash.sandbox.limits;

import java.time.Duration;
import java.util.Optional;
import java.util.function.LongSupplier;

/**
 * What a sandbox has lately been short of. A limit that was hit an hour ago explains nothing, so
 * somebody has to look from time to time.
 */
public final class Strain {
    private static final long LATELY = Duration.ofSeconds(10).toNanos();
    private static final int TOO_OFTEN = 5;

    private final Group group;
    private final Bounds bounds;
    private final LongSupplier clock;
    private Pressure seen = Pressure.NONE;
    private long oomKillSeen;
    private long refusalSeen;
    private int refusedInARow;

    /** The clock is {@link System#nanoTime}, but for tests. */
    public Strain(Group group, Bounds bounds, LongSupplier clock) {
        this.group = group;
        this.bounds = bounds;
        this.clock = clock;
        this.oomKillSeen = clock.getAsLong() - 2 * LATELY;
        this.refusalSeen = oomKillSeen;
    }

    /**
     * To be called every second. Tells when a sandbox has wanted more processes than it may have at
     * each of several looks: a fork bomb, which would go on for ever and leave its bridge no air.
     */
    public synchronized Optional<String> look() {
        var now = group.pressure();
        if (now.oomKills() > seen.oomKills()) {
            oomKillSeen = clock.getAsLong();
        }
        if (now.refusedForks() > seen.refusedForks()) {
            refusalSeen = clock.getAsLong();
            refusedInARow++;
        } else {
            refusedInARow = 0;
        }
        seen = now;
        return refusedInARow >= TOO_OFTEN ? Optional.of(pids()) : Optional.empty();
    }

    /** A sentence about the limit that was hit lately, if one was. */
    public synchronized Optional<String> sentence() {
        int inARow = refusedInARow;
        look();
        refusedInARow = inARow; // only looks of the watch count
        if (isLately(oomKillSeen)) {
            return Optional.of(
                    "It wanted more than its %d MB of memory, so the kernel killed a process in it. %s"
                            .formatted(bounds.memoryMb(), advice("memoryMb", "MEMORY_MB")));
        }
        return isLately(refusalSeen) ? Optional.of(pids()) : Optional.empty();
    }

    private String pids() {
        return "It wanted more than its %d processes and threads. %s"
                .formatted(bounds.pids(), advice("pids", "PIDS"));
    }

    /** The same for its files. */
    public String disk() {
        return "Its files took more than its %d MB of disk. %s"
                .formatted(bounds.diskMb(), advice("diskMb", "DISK_MB"));
    }

    private boolean isLately(long when) {
        return clock.getAsLong() - when < LATELY;
    }

    private static String advice(String name, String variable) {
        return "Allow more by limits.%s of the session or its agent, or ASH_SANDBOX_%s."
                .formatted(name, variable);
    }
}

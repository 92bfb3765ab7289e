package dev.ash.sandbox.limits;

import java.time.Duration;
import java.util.Optional;
import java.util.function.LongSupplier;

/**
 * Detects when a sandbox hits its memory or process limit. Polled regularly, because only a
 * recently hit limit can explain a failure.
 */
public final class PressureMonitor {
    private static final long RECENT = Duration.ofSeconds(10).toNanos();
    private static final int FORK_BOMB_POLLS = 5;

    private final ControlGroup group;
    private final ResolvedLimits limits;
    private final LongSupplier clock;
    private Pressure previous = Pressure.NONE;
    private long lastOomKill;
    private long lastRefusal;
    private int consecutiveRefusals;

    /** Creates a monitor; {@code clock} is {@link System#nanoTime} except in tests. */
    public PressureMonitor(ControlGroup group, ResolvedLimits limits, LongSupplier clock) {
        this.group = group;
        this.limits = limits;
        this.clock = clock;
        this.lastOomKill = clock.getAsLong() - 2 * RECENT;
        this.lastRefusal = lastOomKill;
    }

    /**
     * Updates the counts; called every second. Returns a message if forks were refused in several
     * consecutive polls: a fork bomb, which would starve the bridge indefinitely.
     */
    public synchronized Optional<String> poll() {
        var now = group.pressure();
        if (now.oomKills() > previous.oomKills()) {
            lastOomKill = clock.getAsLong();
        }
        if (now.refusedForks() > previous.refusedForks()) {
            lastRefusal = clock.getAsLong();
            consecutiveRefusals++;
        } else {
            consecutiveRefusals = 0;
        }
        previous = now;
        return consecutiveRefusals >= FORK_BOMB_POLLS
                ? Optional.of(pidsMessage())
                : Optional.empty();
    }

    /** Describes the limit that was recently hit, if any. */
    public synchronized Optional<String> describe() {
        int refusals = consecutiveRefusals;
        poll();
        consecutiveRefusals = refusals; // count only polls of the limit monitor
        if (isRecent(lastOomKill)) {
            return Optional.of(
                    "It exceeded its memory limit of %d MB, so the kernel killed a process in it. %s"
                            .formatted(limits.memoryMb(), advice("memoryMb", "MEMORY_MB")));
        }
        return isRecent(lastRefusal) ? Optional.of(pidsMessage()) : Optional.empty();
    }

    private String pidsMessage() {
        return "It exceeded its limit of %d processes and threads. %s"
                .formatted(limits.pids(), advice("pids", "PIDS"));
    }

    /** Describes an exceeded disk limit. */
    public String diskMessage() {
        return "Its files exceeded its disk limit of %d MB. %s"
                .formatted(limits.diskMb(), advice("diskMb", "DISK_MB"));
    }

    private boolean isRecent(long when) {
        return clock.getAsLong() - when < RECENT;
    }

    private static String advice(String name, String variable) {
        return "Raise limits.%s of the session or its agent, or ASH_SANDBOX_%s."
                .formatted(name, variable);
    }
}

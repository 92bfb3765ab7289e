package dev.ash.sandbox.limits;

import java.util.List;

/**
 * The version of a control group hierarchy, which determines the names and formats of its files.
 */
enum ControlGroupVersion {
    V1,
    V2;

    private static final int PERIOD_US = 100_000;

    /** An interface file of a group and its value. */
    record Setting(String file, String value, Need need) {
        private static Setting required(String file, long value) {
            return new Setting(file, Long.toString(value), Need.REQUIRED);
        }

        private static Setting optional(String file, long value) {
            return new Setting(file, Long.toString(value), Need.OPTIONAL);
        }
    }

    /** Whether every kernel has the file. */
    enum Need {
        REQUIRED,
        OPTIONAL
    }

    /** The location of a counter: a line of a file. */
    record Count(String file, String line) {}

    /** Returns the settings of a limit in the order in which they must be written. */
    List<Setting> settings(Limit limit, ResolvedLimits limits) {
        return switch (limit) {
            case MEMORY -> memory(limits.memoryBytes());
            case PIDS -> List.of(Setting.required("pids.max", limits.pids()));
            case CPU -> cpu(limits.cpuPercent() * (PERIOD_US / 100));
            case DISK, FILE_SIZE, OPEN_FILES -> List.of();
        };
    }

    /**
     * Disables swap: it would slow down a sandbox that needs too much memory, and the others with
     * it.
     */
    private List<Setting> memory(long bytes) {
        return switch (this) {
            case V1 ->
                    List.of(
                            Setting.required("memory.limit_in_bytes", bytes),
                            Setting.optional("memory.memsw.limit_in_bytes", bytes),
                            Setting.optional("memory.swappiness", 0));
            case V2 ->
                    List.of(
                            Setting.required("memory.max", bytes),
                            Setting.optional("memory.swap.max", 0));
        };
    }

    private List<Setting> cpu(int quotaUs) {
        return switch (this) {
            case V1 ->
                    List.of(
                            Setting.required("cpu.cfs_period_us", PERIOD_US),
                            Setting.required("cpu.cfs_quota_us", quotaUs));
            case V2 -> List.of(new Setting("cpu.max", quotaUs + " " + PERIOD_US, Need.REQUIRED));
        };
    }

    Count oomKills() {
        return switch (this) {
            case V1 -> new Count("memory.oom_control", "oom_kill");
            case V2 -> new Count("memory.events", "oom_kill");
        };
    }

    static Count refusedForks() {
        return new Count("pids.events", "max");
    }
}

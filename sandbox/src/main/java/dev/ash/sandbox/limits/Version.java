package dev.ash.sandbox.limits;

import java.util.List;

/** The two forms in which Linux offers control groups: other files, the same meaning. */
enum Version {
    V1,
    V2;

    private static final int PERIOD_US = 100_000;

    /** A file of a group and what is to stand in it. */
    record Setting(String file, String value, Need need) {
        private static Setting always(String file, long value) {
            return new Setting(file, Long.toString(value), Need.ALWAYS);
        }

        private static Setting ifThere(String file, long value) {
            return new Setting(file, Long.toString(value), Need.IF_THERE);
        }
    }

    /** Whether kernels exist that have no such file. */
    enum Need {
        ALWAYS,
        IF_THERE
    }

    /** Where a count of what a group was refused stands: a line of a file. */
    record Count(String file, String line) {}

    /** In the order in which they must be written. */
    List<Setting> settings(Limit limit, Bounds bounds) {
        return switch (limit) {
            case MEMORY -> memory(bounds.memoryBytes());
            case PIDS -> List.of(Setting.always("pids.max", bounds.pids()));
            case CPU -> cpu(bounds.cpuPercent() * (PERIOD_US / 100));
            case DISK, FILE_SIZE, OPEN_FILES -> List.of();
        };
    }

    /** Swap would only make a sandbox that needs too much slow, and its neighbours with it. */
    private List<Setting> memory(long bytes) {
        return switch (this) {
            case V1 ->
                    List.of(
                            Setting.always("memory.limit_in_bytes", bytes),
                            Setting.ifThere("memory.memsw.limit_in_bytes", bytes),
                            Setting.ifThere("memory.swappiness", 0));
            case V2 ->
                    List.of(
                            Setting.always("memory.max", bytes),
                            Setting.ifThere("memory.swap.max", 0));
        };
    }

    private List<Setting> cpu(int quotaUs) {
        return switch (this) {
            case V1 ->
                    List.of(
                            Setting.always("cpu.cfs_period_us", PERIOD_US),
                            Setting.always("cpu.cfs_quota_us", quotaUs));
            case V2 -> List.of(new Setting("cpu.max", quotaUs + " " + PERIOD_US, Need.ALWAYS));
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

package dev.ash.cli.session;

import dev.ash.protocol.rest.ResourceLimits;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** Options for the resource limits of a new session's sandbox. */
public final class LimitOptions {
    @Option(
            names = "--memory-mb",
            paramLabel = "N",
            description = "Memory limit in MB. Default: the limit of the agent or the server.")
    @Nullable Integer memoryMb;

    @Option(names = "--disk-mb", paramLabel = "N", description = "Disk limit in MB.")
    @Nullable Integer diskMb;

    @Option(
            names = "--cpu-percent",
            paramLabel = "N",
            description = "CPU limit in percent of one core (200 = two cores).")
    @Nullable Integer cpuPercent;

    @Option(
            names = "--pids",
            paramLabel = "N",
            description = "Maximum number of processes and threads.")
    @Nullable Integer pids;

    /** Returns null if no limit was specified. */
    public @Nullable ResourceLimits limits() {
        var limits = new ResourceLimits(memoryMb, cpuPercent, pids, diskMb);
        return limits.equals(ResourceLimits.UNSET) ? null : limits;
    }
}

package dev.ash.cli.session;

import dev.ash.protocol.rest.ResourceLimits;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** How much of the machine the sandbox of a new session may use. */
public final class LimitOptions {
    @Option(
            names = "--memory-mb",
            paramLabel = "N",
            description = "Memory of the sandbox, if other than the agent's or the server's.")
    @Nullable Integer memoryMb;

    @Option(names = "--disk-mb", paramLabel = "N", description = "Of all its files together.")
    @Nullable Integer diskMb;

    @Option(
            names = "--cpu-percent",
            paramLabel = "N",
            description = "Of its processor; 200 are two.")
    @Nullable Integer cpuPercent;

    @Option(names = "--pids", paramLabel = "N", description = "Processes and threads at once.")
    @Nullable Integer pids;

    /** Null where nobody said anything. */
    public @Nullable ResourceLimits limits() {
        var limits = new ResourceLimits(memoryMb, cpuPercent, pids, diskMb);
        return limits.equals(ResourceLimits.UNSET) ? null : limits;
    }
}

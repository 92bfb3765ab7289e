package dev.ash.protocol.rest;

import org.jspecify.annotations.Nullable;

/**
 * How much of the machine a sandbox may use. What is absent is decided by the next in line: the
 * session, then its agent, then the server.
 *
 * @param memoryMb of all its processes together; swap counts too
 * @param cpuPercent 100 is one processor
 * @param pids processes and threads at once
 * @param diskMb of its workspace, home and temporary files together, and of any one file
 */
public record ResourceLimits(
        @Nullable Integer memoryMb,
        @Nullable Integer cpuPercent,
        @Nullable Integer pids,
        @Nullable Integer diskMb) {

    /** Nothing said. */
    public static final ResourceLimits UNSET = new ResourceLimits(null, null, null, null);

    /** What a server gives where nobody says otherwise. */
    public static final ResourceLimits DEFAULT = new ResourceLimits(2048, 100, 512, 1024);

    /** These, and those of the next in line where these say nothing. */
    public ResourceLimits or(ResourceLimits next) {
        return new ResourceLimits(
                memoryMb == null ? next.memoryMb : memoryMb,
                cpuPercent == null ? next.cpuPercent : cpuPercent,
                pids == null ? next.pids : pids,
                diskMb == null ? next.diskMb : diskMb);
    }
}

package dev.ash.protocol.rest;

import org.jspecify.annotations.Nullable;

/**
 * The resource limits of a sandbox. An absent limit of a session is taken from its agent, then from
 * the server.
 *
 * @param memoryMb memory of all processes together, including swap
 * @param cpuPercent CPU limit in percent of one core
 * @param pids maximum number of concurrent processes and threads
 * @param diskMb size of workspace, home and temporary files together, and of any single file
 */
public record ResourceLimits(
        @Nullable Integer memoryMb,
        @Nullable Integer cpuPercent,
        @Nullable Integer pids,
        @Nullable Integer diskMb) {

    /** No limits set. */
    public static final ResourceLimits UNSET = new ResourceLimits(null, null, null, null);

    /** The defaults of a server. */
    public static final ResourceLimits DEFAULT = new ResourceLimits(2048, 100, 512, 1024);

    /** Returns these limits, with absent ones replaced by the fallback's. */
    public ResourceLimits or(ResourceLimits fallback) {
        return new ResourceLimits(
                memoryMb == null ? fallback.memoryMb : memoryMb,
                cpuPercent == null ? fallback.cpuPercent : cpuPercent,
                pids == null ? fallback.pids : pids,
                diskMb == null ? fallback.diskMb : diskMb);
    }
}

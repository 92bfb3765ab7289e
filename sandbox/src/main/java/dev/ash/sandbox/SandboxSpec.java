package dev.ash.sandbox;

import dev.ash.protocol.AgentName;
import dev.ash.protocol.SandboxId;
import dev.ash.protocol.SessionId;
import dev.ash.protocol.rest.ResourceLimits;
import java.nio.file.Path;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Which sandbox to start, and for whom.
 *
 * @param session absent for a warm one, which nobody has claimed yet
 * @param agentDir the folder of one version of the agent; it must never change, and be readable by
 *     everybody who knows its path
 * @param ashEnvironment variables that the server sets in this sandbox, such as {@code ASH_ENGINE}
 * @param limits every one of them decided; what is still absent is the default
 * @param project where it works instead of in a workspace of its own
 * @param readOnly whether it can only read where it works
 */
public record SandboxSpec(
        SandboxId id,
        @Nullable SessionId session,
        AgentName agent,
        Path agentDir,
        Map<String, String> ashEnvironment,
        ResourceLimits limits,
        Network network,
        @Nullable ProjectFolder project,
        boolean readOnly) {

    /** With a workspace of its own. */
    public SandboxSpec(
            SandboxId id,
            @Nullable SessionId session,
            AgentName agent,
            Path agentDir,
            Map<String, String> ashEnvironment,
            ResourceLimits limits,
            Network network) {
        this(id, session, agent, agentDir, ashEnvironment, limits, network, null, false);
    }

    public SandboxSpec {
        ashEnvironment = Map.copyOf(ashEnvironment);
        limits = limits.or(ResourceLimits.DEFAULT);
    }
}

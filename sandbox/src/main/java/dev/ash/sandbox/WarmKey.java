package dev.ash.sandbox;

import dev.ash.protocol.TenantId;
import dev.ash.protocol.engine.EngineName;
import dev.ash.protocol.rest.ResourceLimits;

/** For which sessions a warm sandbox is good: its limits and its network cannot be changed. */
public record WarmKey(
        TenantId tenant,
        AgentVersion agent,
        EngineName engine,
        ResourceLimits limits,
        Network network) {

    public WarmKey {
        limits = limits.or(ResourceLimits.DEFAULT);
    }
}

package dev.ash.sandbox;

import dev.ash.protocol.TenantId;
import dev.ash.protocol.engine.EngineName;
import dev.ash.protocol.rest.ResourceLimits;

/**
 * Identifies a kind of warm sandbox: the properties that cannot change after the start and that a
 * claiming session must match.
 */
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

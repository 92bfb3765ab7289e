package dev.ash.sandbox;

import dev.ash.protocol.AgentName;
import dev.ash.protocol.TenantId;

/** For which sessions a warm sandbox is good. */
public record WarmKey(TenantId tenant, AgentName agent, int version, String engine) {}

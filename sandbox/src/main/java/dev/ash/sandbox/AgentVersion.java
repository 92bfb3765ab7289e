package dev.ash.sandbox;

import dev.ash.protocol.AgentName;

/**
 * Identifies an immutable version of an agent; the runner stores its files.
 *
 * @param agentId distinguishes the agent from an earlier one of the same name
 */
public record AgentVersion(String agentId, AgentName name, int version) {}

package dev.ash.sandbox;

import dev.ash.protocol.AgentName;

/**
 * One version of an agent, whose files the runner has. They never change.
 *
 * @param agentId distinguishes the agent from an earlier one of the same name
 */
public record AgentVersion(String agentId, AgentName name, int version) {}

package dev.ash.server.egress.policy;

/**
 * A host that a sandbox wanted to reach and may not.
 *
 * @param host in its one spelling: lower case, addresses as four numbers or in brackets
 * @param reason the sentence that the sandbox was told
 */
public record Blocked(String host, int port, String reason) {}

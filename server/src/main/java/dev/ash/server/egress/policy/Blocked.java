package dev.ash.server.egress.policy;

/**
 * A host that a sandbox requested and may not reach.
 *
 * @param host in its canonical spelling: lower case, IPv4 as four numbers, IPv6 in brackets
 * @param reason the sentence that the sandbox received
 */
public record Blocked(String host, int port, String reason) {}

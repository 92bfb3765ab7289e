package dev.ash.server.egress.policy;

/**
 * A request of a sandbox that its proxy refused.
 *
 * @param host in its canonical spelling: lower case, IPv4 as four numbers, IPv6 in brackets
 * @param reason the error message that the sandbox received
 */
public record BlockedRequest(String host, int port, String reason) {}

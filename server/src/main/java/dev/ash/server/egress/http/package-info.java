/**
 * The HTTP/1.1 side of the egress proxy: connections with deadlines, message heads and framing,
 * forwarding and tunnels. Every byte that arrives is hostile. Knows no model API and decides
 * nothing about hosts.
 */
@NullMarked
package dev.ash.server.egress.http;

import org.jspecify.annotations.NullMarked;

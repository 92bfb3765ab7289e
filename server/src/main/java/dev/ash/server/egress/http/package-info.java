/**
 * The HTTP/1.1 implementation of the egress proxy: connections with deadlines, message heads and
 * framing, forwarding and tunnels. Treats all input as hostile. Independent of model APIs and of
 * the rules for hosts.
 */
@NullMarked
package dev.ash.server.egress.http;

import org.jspecify.annotations.NullMarked;

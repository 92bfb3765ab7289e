/**
 * The sandbox's side of the egress path: programs support HTTP proxies on loopback, but not Unix
 * sockets. The relay does not interpret the traffic; the proxy decides what is allowed.
 */
@NullMarked
package dev.ash.bridge.relay;

import org.jspecify.annotations.NullMarked;

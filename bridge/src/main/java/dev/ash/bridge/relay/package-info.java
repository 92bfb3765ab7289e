/**
 * The sandbox's end of its one way out: programs know HTTP proxies on loopback, not Unix sockets.
 * It reads nothing of what passes; what is allowed is decided on the other side of the socket.
 */
@NullMarked
package dev.ash.bridge.relay;

import org.jspecify.annotations.NullMarked;

/** Streams of socket channels, used by bridges, sandboxes and the egress proxy. */
@NullMarked
package dev.ash.protocol.socket;

import org.jspecify.annotations.NullMarked;

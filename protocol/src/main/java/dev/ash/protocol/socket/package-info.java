/** Streams of socket channels, as bridges, sandboxes and the egress proxy use them. */
@NullMarked
package dev.ash.protocol.socket;

import org.jspecify.annotations.NullMarked;

/** The protocol between a server and the bridge in a sandbox: one JSON object per line. */
@NullMarked
package dev.ash.protocol.bridge;

import org.jspecify.annotations.NullMarked;

/** The messages between a server and the bridge inside a sandbox, one JSON object a line. */
@NullMarked
package dev.ash.protocol.bridge;

import org.jspecify.annotations.NullMarked;

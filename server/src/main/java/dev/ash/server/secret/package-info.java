/**
 * Rotation of the server's own secrets while it runs: the sealing key and the certificates. Other
 * packages contribute their secrets as {@link dev.ash.server.secret.RotatableSecret}.
 */
@NullMarked
package dev.ash.server.secret;

import org.jspecify.annotations.NullMarked;

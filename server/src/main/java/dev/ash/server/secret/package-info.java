/**
 * Rotation of the server's own secrets while it runs. The sealing key and the certificates are
 * here; others live with their users. Each implements {@link
 * dev.ash.server.secret.RotatableSecret}.
 */
@NullMarked
package dev.ash.server.secret;

import org.jspecify.annotations.NullMarked;

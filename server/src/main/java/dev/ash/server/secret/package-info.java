/**
 * Rotation of the server's own secrets while it runs. The secrets themselves live with their users:
 * each implements {@link dev.ash.server.secret.RotatableSecret}.
 */
@NullMarked
package dev.ash.server.secret;

import org.jspecify.annotations.NullMarked;

/** Callers of the server: authentication, scopes and revocation. */
@NullMarked
package dev.ash.server.identity;

import org.jspecify.annotations.NullMarked;

/** API keys and tenants: creation, revocation, and authentication by key. */
@NullMarked
package dev.ash.server.tenant;

import org.jspecify.annotations.NullMarked;

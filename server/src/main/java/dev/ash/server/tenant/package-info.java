/** Who may call: API keys and the tenants they stand for. */
@NullMarked
package dev.ash.server.tenant;

import org.jspecify.annotations.NullMarked;

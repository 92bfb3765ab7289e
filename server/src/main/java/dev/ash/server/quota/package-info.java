/** Quotas of tenants and sessions, and the retention of ended sessions. */
@NullMarked
package dev.ash.server.quota;

import org.jspecify.annotations.NullMarked;

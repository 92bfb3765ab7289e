/**
 * Calls of sandboxes to the model APIs: which requests are permitted, the credential that replaces
 * the sandbox's placeholder, prices, and metering against a budget. Knows no sessions and no
 * database.
 */
@NullMarked
package dev.ash.server.egress.model;

import org.jspecify.annotations.NullMarked;

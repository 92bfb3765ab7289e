/**
 * Calls of sandboxes to the model APIs: the permitted endpoints, the credential that replaces the
 * sandbox's placeholder, prices, and metering against a budget. Independent of sessions and of the
 * database.
 */
@NullMarked
package dev.ash.server.egress.model;

import org.jspecify.annotations.NullMarked;

/**
 * Starts isolated processes, identifies them, and terminates them with all their descendants.
 * Internal to this module; this package does not depend on bridges, agents or sessions.
 */
@NullMarked
package dev.ash.sandbox.launch;

import org.jspecify.annotations.NullMarked;

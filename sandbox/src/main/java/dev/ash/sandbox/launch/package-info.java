/**
 * Processes: how a program is started behind the wall, recognised, and ended with all it started.
 * Internal to this module; nothing here knows of bridges, agents or sessions.
 */
@NullMarked
package dev.ash.sandbox.launch;

import org.jspecify.annotations.NullMarked;

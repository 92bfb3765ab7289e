/** Deployed agents: their store, version directories and endpoints. */
@NullMarked
package dev.ash.server.agent;

import org.jspecify.annotations.NullMarked;

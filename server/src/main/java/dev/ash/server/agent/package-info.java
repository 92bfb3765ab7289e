/** Deployed agents: their rows, their folders, their routes. */
@NullMarked
package dev.ash.server.agent;

import org.jspecify.annotations.NullMarked;

/**
 * Files below one folder that an agent may be changing at the same time: listed, read, written and
 * packed without ever following a link. Knows nothing of agents and sessions.
 */
@NullMarked
package dev.ash.server.workspace;

import org.jspecify.annotations.NullMarked;

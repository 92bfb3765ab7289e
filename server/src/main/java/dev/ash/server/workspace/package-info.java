/**
 * Lists, reads, writes and packs files below one directory that an agent may change concurrently,
 * without following links. Independent of agents and sessions.
 */
@NullMarked
package dev.ash.server.workspace;

import org.jspecify.annotations.NullMarked;

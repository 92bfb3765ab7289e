/** The event log of sessions: numbered, committed, then published; and its views. */
@NullMarked
package dev.ash.server.event;

import org.jspecify.annotations.NullMarked;

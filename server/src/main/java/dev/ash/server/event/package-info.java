/** The event log of sessions: numbered, committed, then shown; and the views derived from it. */
@NullMarked
package dev.ash.server.event;

import org.jspecify.annotations.NullMarked;

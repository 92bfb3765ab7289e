/** A session that has a sandbox: its states and turns, the events of its bridge, and its end. */
@NullMarked
package dev.ash.server.session.live;

import org.jspecify.annotations.NullMarked;

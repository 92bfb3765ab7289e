/** Sessions that have a sandbox: their states and turns, events of the bridge, and their end. */
@NullMarked
package dev.ash.server.session.live;

import org.jspecify.annotations.NullMarked;

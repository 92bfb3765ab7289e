/** Creates, starts, wakes, pauses, stops, forks, ends and removes sessions. */
@NullMarked
package dev.ash.server.session.lifecycle;

import org.jspecify.annotations.NullMarked;

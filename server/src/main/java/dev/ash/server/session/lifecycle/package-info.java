/** Creates, starts, wakes, pauses, stops, copies, ends and removes sessions. */
@NullMarked
package dev.ash.server.session.lifecycle;

import org.jspecify.annotations.NullMarked;

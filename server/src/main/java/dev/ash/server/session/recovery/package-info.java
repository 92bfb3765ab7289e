/** Continues, at the start of the server, where an earlier server was killed. */
@NullMarked
package dev.ash.server.session.recovery;

import org.jspecify.annotations.NullMarked;

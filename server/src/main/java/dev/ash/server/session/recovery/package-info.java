/** Recovers, at the start of the server, the sessions of a server that was killed. */
@NullMarked
package dev.ash.server.session.recovery;

import org.jspecify.annotations.NullMarked;

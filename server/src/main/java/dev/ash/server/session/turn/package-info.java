/** Opens turns and streams them to clients. */
@NullMarked
package dev.ash.server.session.turn;

import org.jspecify.annotations.NullMarked;

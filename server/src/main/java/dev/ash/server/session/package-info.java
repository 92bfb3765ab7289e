/** Sessions and turns: the states, the live side that talks to a bridge, the routes. */
@NullMarked
package dev.ash.server.session;

import org.jspecify.annotations.NullMarked;

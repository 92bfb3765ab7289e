/**
 * Sessions and turns as they are stored, and the changes of their status. The lowest layer of
 * sessions: it starts nothing.
 */
@NullMarked
package dev.ash.server.session.store;

import org.jspecify.annotations.NullMarked;

/** The REST API of sessions, and session operations for other features. */
@NullMarked
package dev.ash.server.session;

import org.jspecify.annotations.NullMarked;

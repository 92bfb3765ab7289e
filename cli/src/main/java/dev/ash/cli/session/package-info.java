/**
 * {@code ash chat} and {@code ash session}: turns, shown as they come, and the life of sessions.
 */
@NullMarked
package dev.ash.cli.session;

import org.jspecify.annotations.NullMarked;

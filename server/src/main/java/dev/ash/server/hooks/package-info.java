/**
 * Terminal sessions: sessions in a user's own terminal, reported by the hooks of Claude Code, and
 * their questions, which the user can answer elsewhere.
 */
@NullMarked
package dev.ash.server.hooks;

import org.jspecify.annotations.NullMarked;

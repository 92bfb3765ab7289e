/**
 * Sessions that run in somebody's own terminal: what Claude Code's hooks say of them, and the
 * questions that they ask a person elsewhere.
 */
@NullMarked
package dev.ash.server.hooks;

import org.jspecify.annotations.NullMarked;

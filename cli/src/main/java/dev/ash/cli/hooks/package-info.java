/** {@code ash hooks}: Ash in the settings of Claude Code on this machine. */
@NullMarked
package dev.ash.cli.hooks;

import org.jspecify.annotations.NullMarked;

/** {@code ash hooks}: installs and removes hooks of Ash in the settings of Claude Code. */
@NullMarked
package dev.ash.cli.hooks;

import org.jspecify.annotations.NullMarked;

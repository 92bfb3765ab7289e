/**
 * The {@code ash} command: finds the command that was asked for and builds it alone. What the
 * commands do is in the packages below, a feature each, which know nothing of this one. {@link
 * dev.ash.cli.command.Host} is all they see of the machine, so that tests can give another. A
 * command throws; {@link dev.ash.cli.Main} alone turns failures into sentences and exit codes.
 */
@NullMarked
package dev.ash.cli;

import org.jspecify.annotations.NullMarked;

/**
 * The {@code ash} command. One class a subcommand, built only when it is the one that was asked
 * for; {@link dev.ash.cli.Host} is all they see of the machine, so that tests can give another. A
 * command throws; {@link dev.ash.cli.Main} alone turns failures into sentences and exit codes.
 */
@NullMarked
package dev.ash.cli;

import org.jspecify.annotations.NullMarked;

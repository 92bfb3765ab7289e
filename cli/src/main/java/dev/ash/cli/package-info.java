/**
 * The {@code ash} command: builds and runs the requested subcommand. The subcommands are in the
 * packages below, one for each feature, which do not depend on this package. They access the
 * machine only through {@link dev.ash.cli.command.Host}, which tests replace. Commands throw
 * exceptions; only {@link dev.ash.cli.Main} maps them to messages and exit codes.
 */
@NullMarked
package dev.ash.cli;

import org.jspecify.annotations.NullMarked;

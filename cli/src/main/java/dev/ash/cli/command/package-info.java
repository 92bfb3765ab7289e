/** Base classes of commands: host environment, connection to the server, failures, exit codes. */
@NullMarked
package dev.ash.cli.command;

import org.jspecify.annotations.NullMarked;

/** What every command needs: the machine, the server and its key, failures and exit codes. */
@NullMarked
package dev.ash.cli.command;

import org.jspecify.annotations.NullMarked;

/** Terminal input and output. */
@NullMarked
package dev.ash.cli.terminal;

import org.jspecify.annotations.NullMarked;

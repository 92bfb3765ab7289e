/** What is printed on a terminal and read from one. */
@NullMarked
package dev.ash.cli.terminal;

import org.jspecify.annotations.NullMarked;

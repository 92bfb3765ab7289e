/** Prints event streams, as text or JSON, and handles reconnects and Ctrl-C. */
@NullMarked
package dev.ash.cli.stream;

import org.jspecify.annotations.NullMarked;

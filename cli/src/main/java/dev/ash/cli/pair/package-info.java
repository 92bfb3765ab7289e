/** {@code ash pair}: one agent works, another reviews. */
@NullMarked
package dev.ash.cli.pair;

import org.jspecify.annotations.NullMarked;

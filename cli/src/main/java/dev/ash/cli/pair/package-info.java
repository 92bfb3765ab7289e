/** {@code ash pair}: runs in which one engine works and another reviews. */
@NullMarked
package dev.ash.cli.pair;

import org.jspecify.annotations.NullMarked;

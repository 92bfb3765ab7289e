/** Following what a server tells while it happens, for people and for programs. */
@NullMarked
package dev.ash.cli.stream;

import org.jspecify.annotations.NullMarked;

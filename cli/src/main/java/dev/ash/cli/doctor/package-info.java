/** {@code ash doctor}: what a machine lacks. */
@NullMarked
package dev.ash.cli.doctor;

import org.jspecify.annotations.NullMarked;

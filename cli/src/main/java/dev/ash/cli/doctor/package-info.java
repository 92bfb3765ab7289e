/**
 * {@code ash doctor}: what a machine lacks to run Ash, and with {@code --security} what it lacks to
 * isolate agents.
 */
@NullMarked
package dev.ash.cli.doctor;

import org.jspecify.annotations.NullMarked;

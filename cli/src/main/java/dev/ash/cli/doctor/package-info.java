/**
 * {@code ash doctor}: checks a machine's requirements for running Ash and, with {@code --security},
 * for isolating agents.
 */
@NullMarked
package dev.ash.cli.doctor;

import org.jspecify.annotations.NullMarked;

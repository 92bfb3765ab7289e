/** {@code ash deploy} and {@code ash agent}: folders become agents. */
@NullMarked
package dev.ash.cli.agent;

import org.jspecify.annotations.NullMarked;

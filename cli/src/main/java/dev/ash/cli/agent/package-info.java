/** {@code ash deploy} and {@code ash agent}: deploys and manages agents. */
@NullMarked
package dev.ash.cli.agent;

import org.jspecify.annotations.NullMarked;

/** {@code ash secrets}: rotates the server's own secrets. */
@NullMarked
package dev.ash.cli.secret;

import org.jspecify.annotations.NullMarked;

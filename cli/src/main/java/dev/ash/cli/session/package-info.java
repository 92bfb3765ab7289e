/** {@code ash chat} and {@code ash session}: runs turns and manages sessions. */
@NullMarked
package dev.ash.cli.session;

import org.jspecify.annotations.NullMarked;

/**
 * {@code ash start}, {@code stop}, {@code status}, {@code logs}, {@code health}: the server and its
 * process.
 */
@NullMarked
package dev.ash.cli.server;

import org.jspecify.annotations.NullMarked;

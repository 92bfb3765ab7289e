/**
 * {@code ash start}, {@code stop}, {@code status}, {@code logs}, {@code health}: manages the local
 * server.
 */
@NullMarked
package dev.ash.cli.server;

import org.jspecify.annotations.NullMarked;

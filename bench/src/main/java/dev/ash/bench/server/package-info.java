/** Servers, sessions, commands and clients of the measured programs. */
@NullMarked
package dev.ash.bench.server;

import org.jspecify.annotations.NullMarked;

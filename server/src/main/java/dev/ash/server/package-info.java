/** Reads the settings and assembles the server from its features; start with {@link ServerMain}. */
@NullMarked
package dev.ash.server;

import org.jspecify.annotations.NullMarked;

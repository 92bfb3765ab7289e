/** The server assembled from its features: start here and read {@link ServerMain} downwards. */
@NullMarked
package dev.ash.server;

import org.jspecify.annotations.NullMarked;

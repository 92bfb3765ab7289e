/** Health, version and metrics of the server. */
@NullMarked
package dev.ash.server.health;

import org.jspecify.annotations.NullMarked;

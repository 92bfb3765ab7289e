/** What the server says about itself. */
@NullMarked
package dev.ash.server.health;

import org.jspecify.annotations.NullMarked;

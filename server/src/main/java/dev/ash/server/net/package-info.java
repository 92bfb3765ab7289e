/** Addresses and ranges of them. */
@NullMarked
package dev.ash.server.net;

import org.jspecify.annotations.NullMarked;

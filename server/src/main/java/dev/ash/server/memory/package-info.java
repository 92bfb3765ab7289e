/** Limits the heap memory of requests and streams, in total and per tenant. */
@NullMarked
package dev.ash.server.memory;

import org.jspecify.annotations.NullMarked;

/** Bounds what requests and streams hold in the heap, for all tenants together and for each. */
@NullMarked
package dev.ash.server.memory;

import org.jspecify.annotations.NullMarked;

/** Concurrency primitives that several features share. They depend on no feature. */
@NullMarked
package dev.ash.server.concurrent;

import org.jspecify.annotations.NullMarked;

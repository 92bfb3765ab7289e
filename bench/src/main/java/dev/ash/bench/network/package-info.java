/** Benchmarks of other connections: devices, and calls of the model API through the proxy. */
@NullMarked
package dev.ash.bench.network;

import org.jspecify.annotations.NullMarked;

/** Runs sandboxes. Sessions access them only through {@code RunnerCoordinator}. */
@NullMarked
package dev.ash.server.runner;

import org.jspecify.annotations.NullMarked;

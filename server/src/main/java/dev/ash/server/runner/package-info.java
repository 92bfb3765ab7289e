/** Where sandboxes run. Sessions reach them through {@code RunnerCoordinator} only. */
@NullMarked
package dev.ash.server.runner;

import org.jspecify.annotations.NullMarked;

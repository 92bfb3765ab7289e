/**
 * Enforces the resource limits of sandboxes: control groups, process limits, disk space, and the
 * causes of failures after a limit was hit. This package does not depend on bridges and starts no
 * processes.
 */
@NullMarked
package dev.ash.sandbox.limits;

import org.jspecify.annotations.NullMarked;

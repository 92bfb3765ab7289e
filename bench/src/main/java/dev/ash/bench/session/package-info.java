/**
 * Benchmarks of commands and of the life of a session: start, create, resume, stop, delete, fork.
 */
@NullMarked
package dev.ash.bench.session;

import org.jspecify.annotations.NullMarked;

/**
 * The files of a run: its manifest, from which it resumes, its transcript, its report, and the lock
 * of the process that executes it.
 */
@NullMarked
package dev.ash.pair.archive;

import org.jspecify.annotations.NullMarked;

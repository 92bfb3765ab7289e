/**
 * What is kept of runs in their directories: the manifest, from which a run goes on, the transcript
 * for those who watch, the report, and the lock of the process that drives it.
 */
@NullMarked
package dev.ash.pair.archive;

import org.jspecify.annotations.NullMarked;

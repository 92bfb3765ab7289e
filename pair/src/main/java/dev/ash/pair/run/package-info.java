/**
 * The directories of runs, {@code ~/.agentpair/runs/{repo-id}/{run-id}}, and access to their files.
 */
@NullMarked
package dev.ash.pair.run;

import org.jspecify.annotations.NullMarked;

/**
 * Where runs are kept: {@code ~/.agentpair/runs/{repo-id}/{run-id}}, and how files there are made.
 */
@NullMarked
package dev.ash.pair.run;

import org.jspecify.annotations.NullMarked;

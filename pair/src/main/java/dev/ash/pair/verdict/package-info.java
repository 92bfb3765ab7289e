/** Verdicts of reviewers, and the findings of a run with their status. */
@NullMarked
package dev.ash.pair.verdict;

import org.jspecify.annotations.NullMarked;

/** What a reviewer says of a commit, and what becomes of each thing that it found. */
@NullMarked
package dev.ash.pair.verdict;

import org.jspecify.annotations.NullMarked;

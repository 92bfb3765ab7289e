/**
 * Questions that engines ask people: what is open, who answered what, and that an answer is given
 * to at most one call. Knows bridges only as {@link dev.ash.server.approval.Asker}.
 */
@NullMarked
package dev.ash.server.approval;

import org.jspecify.annotations.NullMarked;

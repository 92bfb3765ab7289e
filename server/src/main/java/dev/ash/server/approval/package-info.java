/**
 * Questions that engines ask users, their decisions, and the delivery of each decision to at most
 * one call. Accesses bridges only as {@link dev.ash.server.approval.Asker}.
 */
@NullMarked
package dev.ash.server.approval;

import org.jspecify.annotations.NullMarked;

/**
 * The file in which the peers of a run write to each other, {@code bridge.jsonl}: its lines, its
 * one writer at a time, its repair, and how far each peer has read. See docs/mailbox.md.
 */
@NullMarked
package dev.ash.pair.mailbox;

import org.jspecify.annotations.NullMarked;

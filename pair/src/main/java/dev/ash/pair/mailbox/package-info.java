/**
 * The mailbox of a run, {@code bridge.jsonl}: message format, locking between processes, repair of
 * torn lines, and acknowledgments of the peers. See docs/mailbox.md.
 */
@NullMarked
package dev.ash.pair.mailbox;

import org.jspecify.annotations.NullMarked;

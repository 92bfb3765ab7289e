/**
 * Notices: what an engine waits for or lacks, in one sentence with a remedy, derived from the
 * events of a session. Every client shows the same text.
 */
@NullMarked
package dev.ash.protocol.notice;

import org.jspecify.annotations.NullMarked;

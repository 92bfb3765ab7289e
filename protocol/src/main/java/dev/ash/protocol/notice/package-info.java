/**
 * Notices: problems that block or limit an engine, each one sentence with a remedy, derived from
 * the events of a session. All clients show the same text.
 */
@NullMarked
package dev.ash.protocol.notice;

import org.jspecify.annotations.NullMarked;

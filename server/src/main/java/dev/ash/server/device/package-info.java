/**
 * Paired devices (phones and browsers): their tokens and scopes, how far each has confirmed the log
 * of each session, its unacknowledged notifications, and its requests without a confirmed answer.
 */
@NullMarked
package dev.ash.server.device;

import org.jspecify.annotations.NullMarked;

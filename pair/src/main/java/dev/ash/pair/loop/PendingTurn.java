package dev.ash.pair.loop;

/**
 * A turn that was saved before it was started, so that it can be repeated identically after a
 * crash.
 */
public record PendingTurn(String key, String prompt, long mailboxSeq) {}

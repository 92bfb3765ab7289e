package dev.ash.pair.mailbox;

/**
 * The result of appending a draft: the stored message, or the existing one if it is a duplicate.
 */
public record AppendResult(Entry entry, boolean duplicate) {}

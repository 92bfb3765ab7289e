package dev.ash.pair.mailbox;

/** What became of a draft: stored, or found to be a retry of what was stored before. */
public record AppendResult(Entry entry, boolean duplicate) {}

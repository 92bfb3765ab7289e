package dev.ash.pair.mailbox;

/** What became of a draft: stored, or found to be a retry of what was stored before. */
public record Appended(Entry entry, boolean duplicate) {}

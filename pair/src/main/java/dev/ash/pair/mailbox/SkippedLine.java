package dev.ash.pair.mailbox;

/** A line, or part of one, that is not a valid message; it remains in the file. */
public record SkippedLine(long offset, long bytes, String reason) {}

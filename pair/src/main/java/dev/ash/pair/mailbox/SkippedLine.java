package dev.ash.pair.mailbox;

/** A line that could not be read as a message; it stays where it is. */
public record SkippedLine(long offset, long bytes, String reason) {}

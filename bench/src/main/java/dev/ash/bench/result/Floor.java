package dev.ash.bench.result;

/** The lowest value that this machine permits, measured in the same run, and its name. */
public record Floor(String name, Summary summary) {}

package dev.ash.protocol.rest;

import org.jspecify.annotations.Nullable;

/** The text of a file; {@code source} states where the file of a session was read. */
public record FileContent(String path, String content, long size, @Nullable String source) {}

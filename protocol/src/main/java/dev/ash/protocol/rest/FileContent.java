package dev.ash.protocol.rest;

import org.jspecify.annotations.Nullable;

/** The text of a file; {@code source} tells where a session's file was read. */
public record FileContent(String path, String content, long size, @Nullable String source) {}

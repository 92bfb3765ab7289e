package dev.ash.server.workspace;

import java.nio.file.attribute.PosixFileAttributes;

/** Something in a folder; the attributes are a link's own. */
public record Child(String name, PosixFileAttributes attributes) {}

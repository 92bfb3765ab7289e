package dev.ash.server.workspace;

import java.nio.file.attribute.PosixFileAttributes;

/** An entry of a directory. The attributes of a link are its own, not those of its target. */
public record DirectoryEntry(String name, PosixFileAttributes attributes) {}

package dev.ash.server.workspace;

import dev.ash.protocol.rest.FileEntry;
import java.util.List;

/** The regular files of a tree by path; {@code truncated} if there were too many to list. */
public record Listing(List<FileEntry> files, boolean truncated) {}

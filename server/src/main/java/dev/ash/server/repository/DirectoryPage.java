package dev.ash.server.repository;

import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * One page of the entries of a directory: directories first, each sorted by name.
 *
 * @param path the absolute path as the session's agent sees it
 * @param total the number of entries in the directory
 */
public record DirectoryPage(
        String path, List<DirectoryPage.Entry> entries, int total, int offset, int limit) {

    /** An entry; everything but a directory counts as a file. Only files have a size. */
    public record Entry(
            String name, String path, boolean isDirectory, @Nullable Long size, Instant modified) {}

    public boolean hasMore() {
        return offset + entries.size() < total;
    }
}

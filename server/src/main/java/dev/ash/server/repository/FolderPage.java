package dev.ash.server.repository;

import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A part of a folder's entries, folders first, each by name.
 *
 * @param path absolute, as the session's agent sees it
 * @param total how many entries there are in all
 */
public record FolderPage(
        String path, List<FolderPage.Entry> entries, int total, int offset, int limit) {

    /** Something in a folder; what is no folder counts as a file. Only files have a size. */
    public record Entry(
            String name, String path, boolean isFolder, @Nullable Long size, Instant modified) {}

    public boolean hasMore() {
        return offset + entries.size() < total;
    }
}

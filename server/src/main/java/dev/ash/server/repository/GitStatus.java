package dev.ash.server.repository;

import java.util.List;

/**
 * What is not committed.
 *
 * @param branch its name; the short hash of the commit where there is none
 */
public record GitStatus(
        String branch, int ahead, int behind, boolean isClean, List<GitStatus.Change> changes) {

    /** One file, compared with the last commit; a binary one has no lines to count. */
    public record Change(String path, FileStatus status, int additions, int deletions) {}
}

package dev.ash.server.repository;

import java.util.List;

/**
 * The uncommitted changes of a repository.
 *
 * @param branch the name of the branch; the short hash of the commit if HEAD is detached
 */
public record GitStatus(
        String branch, int ahead, int behind, boolean isClean, List<GitStatus.Change> changes) {

    /** A file that differs from the last commit; binary files have zero counts. */
    public record Change(String path, FileStatus status, int additions, int deletions) {}
}

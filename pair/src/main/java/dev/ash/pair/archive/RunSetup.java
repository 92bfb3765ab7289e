package dev.ash.pair.archive;

import dev.ash.pair.loop.RunSpec;
import org.jspecify.annotations.Nullable;

/**
 * What is known of a run before its first step.
 *
 * @param tenant whose it is
 * @param base the commit it begins with
 * @param branch where its commits go, in the user's repository
 * @param head what a review alone is about; null where a worker makes it
 */
public record RunSetup(
        int id,
        String tenant,
        String repository,
        String repoId,
        RunSpec spec,
        String base,
        String branch,
        @Nullable String head,
        String createdAt) {}

package dev.ash.pair.archive;

import dev.ash.pair.loop.Budget;
import dev.ash.pair.loop.RunSpec;
import org.jspecify.annotations.Nullable;

/**
 * What is known of a run before its first step.
 *
 * @param tenant whose it is
 * @param base the commit it begins with
 * @param branch where its commits go, in the user's repository
 * @param head what a review alone is about; null where a worker makes it
 * @param request the request that made it, by which a retry is told; null where it had no key
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
        String createdAt,
        @Nullable Request request) {

    /** The client's key for it, and a hash of all that it asked for. */
    public record Request(String key, String hash) {}

    /**
     * Tells it from every other run, also from one whose directory was deleted and whose number it
     * has.
     */
    public String identity() {
        return repoId + "-" + id + " " + createdAt;
    }

    public RunSetup with(Budget budget) {
        return new RunSetup(
                id,
                tenant,
                repository,
                repoId,
                spec.with(budget),
                base,
                branch,
                head,
                createdAt,
                request);
    }
}

package dev.ash.pair.archive;

import dev.ash.pair.loop.Budget;
import dev.ash.pair.loop.RunSpec;
import org.jspecify.annotations.Nullable;

/**
 * The immutable setup of a run, known before its first step.
 *
 * @param tenant the owner of the run
 * @param base the commit that the run starts from
 * @param branch the branch of the user's repository that receives the commits
 * @param head the commit to review; null unless the run is review-only
 * @param request identifies retries of the request that created the run; null without an
 *     idempotency key
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

    /** The idempotency key of a request and the hash of its body. */
    public record Request(String key, String hash) {}

    /** Returns an id that is unique even if a deleted run had the same number. */
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

package dev.ash.pair.loop;

import java.time.Duration;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** The repositories of a run: the user's repository and the clones of the peers. */
public interface RunRepositories {
    /**
     * The worker's work as a commit in the user's repository.
     *
     * @param stat the diff statistics since the base
     * @param branch the branch that contains the commit; null without changes
     */
    record SavedWork(String commit, String stat, @Nullable String branch) {}

    /** The result of the proof command. */
    record Proof(int exitCode, String output, boolean timedOut) {
        public boolean succeeded() {
            return exitCode == 0 && !timedOut;
        }
    }

    /** Returns a warning to show before the first turn. */
    default Optional<String> startWarning() throws InterruptedException {
        return Optional.empty();
    }

    /** Returns the commit that the run started from. */
    String base();

    /** Returns the commit to review in a review-only run. */
    String head();

    /**
     * Commits the worker's uncommitted changes and fetches all its commits into the run's branch of
     * the user's repository. Idempotent.
     */
    SavedWork saveWork(int round, String message) throws RepositoryException, InterruptedException;

    /** Runs the proof command in the worker's sandbox. */
    Proof runProof(String command, Duration limit) throws RepositoryException, InterruptedException;

    /** Checks out the commit in the reviewer's clone. */
    void checkOutForReview(String commit) throws RepositoryException, InterruptedException;

    /** Returns the diff between two commits, truncated to {@code maxChars}. */
    String diff(String from, String to, int maxChars)
            throws RepositoryException, InterruptedException;
}

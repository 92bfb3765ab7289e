package dev.ash.pair.loop;

import java.time.Duration;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Where the work is: the worker's clone, the reviewer's, and the user's repository. */
public interface RunRepositories {
    /**
     * The worker's work as a commit that is safe in the user's repository.
     *
     * @param branch where it is there; null while nothing has changed
     */
    record Kept(String commit, String stat, @Nullable String branch) {}

    record Proof(int exitCode, String output, boolean timedOut) {
        public boolean green() {
            return exitCode == 0 && !timedOut;
        }
    }

    /** What the user should know before the first turn. */
    default Optional<String> warning() throws InterruptedException {
        return Optional.empty();
    }

    /** The commit that the run began with. */
    String base();

    /** What a review without a worker is about. */
    String head();

    /**
     * Commits what the worker left uncommitted and brings all its commits into the user's
     * repository, on the run's branch. Done again it changes nothing.
     */
    Kept keep(int round, String message) throws RepositoryException, InterruptedException;

    /** Runs the proof on the worker's clone, within its sandbox. */
    Proof prove(String command, Duration limit) throws RepositoryException, InterruptedException;

    /** Puts the reviewer's clone at exactly this commit. */
    void present(String commit) throws RepositoryException, InterruptedException;

    /** The changes between two commits as text, cut off after so many characters. */
    String diff(String from, String to, int maxChars)
            throws RepositoryException, InterruptedException;
}

package dev.ash.server.pair;

import dev.ash.pair.archive.RunSetup;
import dev.ash.pair.loop.RepositoryException;
import dev.ash.pair.loop.RunRepositories;
import dev.ash.pair.run.UncommittedChanges;
import java.time.Duration;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** The user's repository and the clones in the workspaces of the peers' sessions. */
final class SessionRepositories implements RunRepositories {
    private final RunSetup setup;
    private final UserRepository repository;
    private final Bundles bundles;
    private final Optional<WorkerClone> worker;
    private final Optional<ReviewerClone> reviewer;
    private @Nullable String checkedOut;

    SessionRepositories(
            RunSetup setup,
            UserRepository repository,
            Bundles bundles,
            Optional<WorkerClone> worker,
            Optional<ReviewerClone> reviewer) {
        this.setup = setup;
        this.repository = repository;
        this.bundles = bundles;
        this.worker = worker;
        this.reviewer = reviewer;
    }

    /** Creates the missing clones. */
    void open() throws RepositoryException, InterruptedException {
        var from = setup.head() == null ? setup.base() : setup.head();
        var bundle = bundles.base();
        repository.bundle(from, baseRef(), bundle);
        var history = repository.history(from);
        if (worker.isPresent()) {
            var author = Objects.requireNonNull(setup.spec().worker()).value();
            worker.get().create(bundle, baseRef(), setup.branch(), author, history);
        }
        if (reviewer.isPresent()) {
            reviewer.get().create(bundles, baseRef(), setup.branch(), history);
        }
    }

    @Override
    public Optional<String> startWarning() throws InterruptedException {
        try {
            return UncommittedChanges.warning(repository.uncommitted());
        } catch (RepositoryException e) {
            return Optional.empty(); // only the warning needs the working tree
        }
    }

    /**
     * Ref that keeps the base commit. Not below refs/agentpair, which git would confuse with the
     * branch.
     */
    private String baseRef() {
        return "refs/ash/pair/run-" + setup.id();
    }

    @Override
    public String base() {
        return setup.base();
    }

    @Override
    public String head() {
        return Objects.requireNonNull(setup.head());
    }

    @Override
    public SavedWork saveWork(int round, String message)
            throws RepositoryException, InterruptedException {
        var clone = worker.orElseThrow();
        var commit = clone.commit(message);
        if (commit.equals(setup.base())) {
            return new SavedWork(commit, "", null);
        }
        clone.bundle(setup.base(), bundles.out());
        var branch = repository.fetch(bundles.out(), commit, setup.branch());
        return new SavedWork(commit, repository.stat(setup.base(), commit), branch);
    }

    @Override
    public Proof runProof(String command, Duration limit)
            throws RepositoryException, InterruptedException {
        return worker.orElseThrow().runProof(command, limit);
    }

    @Override
    public void checkOutForReview(String commit) throws RepositoryException, InterruptedException {
        if (commit.equals(checkedOut) || reviewer.isEmpty() || setup.head() != null) {
            return; // the clone of a review-only run is at its commit already
        }
        reviewer.get().checkOut(bundles.out(), commit);
        checkedOut = commit;
    }

    @Override
    public String diff(String from, String to, int maxChars)
            throws RepositoryException, InterruptedException {
        return repository.diff(from, to, maxChars);
    }
}

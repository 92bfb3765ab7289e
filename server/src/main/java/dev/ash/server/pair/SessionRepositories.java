package dev.ash.server.pair;

import dev.ash.pair.archive.RunSetup;
import dev.ash.pair.loop.RepositoryException;
import dev.ash.pair.loop.RunRepositories;
import dev.ash.pair.run.UncommittedChanges;
import java.time.Duration;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** The user's repository, and the clones of it in the workspaces of two sessions. */
final class SessionRepositories implements RunRepositories {
    private final RunSetup setup;
    private final UserRepository repository;
    private final Bundles bundles;
    private final Optional<WorkerClone> worker;
    private final Optional<ReviewerClone> reviewer;
    private @Nullable String presented;

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

    /** Makes the clones that are not there yet. */
    void open() throws RepositoryException, InterruptedException {
        var from = setup.head() == null ? setup.base() : setup.head();
        var bundle = bundles.base();
        repository.bundle(from, holder(), bundle);
        var history = repository.history(from);
        if (worker.isPresent()) {
            var author = Objects.requireNonNull(setup.spec().worker()).value();
            worker.get().make(bundle, holder(), setup.branch(), author, history);
        }
        if (reviewer.isPresent()) {
            reviewer.get().make(bundles, holder(), setup.branch(), history);
        }
    }

    @Override
    public Optional<String> warning() throws InterruptedException {
        try {
            return UncommittedChanges.warning(repository.uncommitted());
        } catch (RepositoryException e) {
            return Optional.empty(); // the run itself does not need the working tree
        }
    }

    /** Not below refs/agentpair: git would take it for the branch of the same name. */
    private String holder() {
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
    public Kept keep(int round, String message) throws RepositoryException, InterruptedException {
        var clone = worker.orElseThrow();
        var commit = clone.commit(message);
        if (commit.equals(setup.base())) {
            return new Kept(commit, "", null);
        }
        clone.bundle(setup.base(), bundles.out());
        var branch = repository.take(bundles.out(), commit, setup.branch());
        return new Kept(commit, repository.stat(setup.base(), commit), branch);
    }

    @Override
    public Proof prove(String command, Duration limit)
            throws RepositoryException, InterruptedException {
        return worker.orElseThrow().prove(command, limit);
    }

    @Override
    public void present(String commit) throws RepositoryException, InterruptedException {
        if (commit.equals(presented) || reviewer.isEmpty() || setup.head() != null) {
            return; // a clone that was made for a review alone is there already
        }
        reviewer.get().move(bundles.out(), commit);
        presented = commit;
    }

    @Override
    public String diff(String from, String to, int maxChars)
            throws RepositoryException, InterruptedException {
        return repository.diff(from, to, maxChars);
    }
}

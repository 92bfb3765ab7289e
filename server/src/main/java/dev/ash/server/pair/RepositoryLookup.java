package dev.ash.server.pair;

import dev.ash.pair.run.Repository;
import dev.ash.server.project.Project;
import dev.ash.server.workspace.RunAs;
import java.io.IOException;
import java.util.concurrent.Callable;

/**
 * Reads files of a repository with the privileges of its owner: {@code .git} and the files in it
 * may be links to other files.
 */
final class RepositoryLookup {
    /** Finds the repository of an admitted directory. */
    static Repository of(Project directory) throws IOException {
        return asOwner(directory, () -> Repository.of(directory.path()));
    }

    static <T> T asOwner(Project directory, Callable<T> work) throws IOException {
        try {
            var owner = directory.owner();
            return owner.isEmpty()
                    ? work.call()
                    : RunAs.call(owner.get().uid(), owner.get().gid(), work);
        } catch (IOException | RuntimeException e) {
            throw e;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("The server is shutting down", e);
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
    }

    private RepositoryLookup() {}
}

package dev.ash.server.pair;

import dev.ash.pair.loop.RepositoryException;
import dev.ash.protocol.ApiException;
import dev.ash.protocol.SessionId;
import dev.ash.protocol.TenantId;
import dev.ash.server.session.file.SessionFiles;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;

/**
 * Moves bundles into and out of workspaces. No link in a workspace is followed; the files outside
 * lie in a directory that is the server's alone, see {@link Bundles}.
 */
final class BundleTransfer {
    private static final String IN = ".ash-in.bundle";
    private static final long MAX_BYTES = 8L * 1024 * 1024 * 1024;

    private final SessionFiles files;

    BundleTransfer(SessionFiles files) {
        this.files = files;
    }

    /**
     * The script that makes a clone of the bundle that was handed in. Files that are there already
     * are the agent's own, and never committed.
     */
    static String clone(String holder, String branch, String author, HistoryFormat history) {
        return begin(history)
                + """
                  git config user.name %3$s
                  git config user.email pair@ash.invalid
                  git fetch -q --no-tags .ash-in.bundle +%1$s:refs/ash/base
                  git checkout -q -f -B %2$s refs/ash/base
                  rm -f .ash-in.bundle
                  touch .git/ash-ready
                  """
                        .formatted(holder, branch, ConfinedGit.quoted(author));
    }

    /** The beginning of such a script: a repository without commits. */
    static String begin(HistoryFormat history) {
        return """
            git init -q %1$s .
            printf %%s %2$s >.git/shallow
            [ -s .git/shallow ] || rm .git/shallow
            ls -A | grep -v -x -e .git -e .ash-in.bundle | sed 's,^,/,' >>.git/info/exclude || true
            """
                .formatted(
                        history.isSha256() ? "--object-format=sha256" : "",
                        ConfinedGit.quoted(history.shallow()));
    }

    void in(TenantId tenant, SessionId session, Path bundle)
            throws RepositoryException, InterruptedException {
        use(
                tenant,
                session,
                tree -> {
                    try (var content = Files.newInputStream(bundle, LinkOption.NOFOLLOW_LINKS)) {
                        tree.write(IN, content, false);
                    }
                    return IN;
                });
    }

    void out(TenantId tenant, SessionId session, String path, Path to)
            throws RepositoryException, InterruptedException {
        use(
                tenant,
                session,
                tree -> {
                    try (var file = tree.open(path, MAX_BYTES)) {
                        Files.copy(file.content(), to, StandardCopyOption.REPLACE_EXISTING);
                    }
                    return to;
                });
    }

    private <T> void use(TenantId tenant, SessionId session, SessionFiles.Work<T> work)
            throws RepositoryException, InterruptedException {
        try {
            files.use(tenant, session, work);
        } catch (InterruptedException e) {
            throw e;
        } catch (ApiException e) {
            throw new RepositoryException("A bundle could not be handed over: " + e.message());
        } catch (IOException e) {
            throw new RepositoryException("A bundle could not be handed over: " + e.getMessage());
        } catch (RuntimeException e) {
            throw e;
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
    }
}

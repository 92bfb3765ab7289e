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
 * Copies git bundles into and out of workspaces without following links there. The files outside
 * are in a private directory of the server, see {@link Bundles}.
 */
final class BundleTransfer {
    private static final String IN = ".ash-in.bundle";
    private static final long MAX_BYTES = 8L * 1024 * 1024 * 1024;

    private final SessionFiles files;

    BundleTransfer(SessionFiles files) {
        this.files = files;
    }

    /**
     * Returns the script that clones the bundle in the workspace. Existing files belong to the
     * agent and are excluded from commits.
     */
    static String cloneScript(String baseRef, String branch, String author, HistoryFormat history) {
        return initScript(history)
                + """
                  git config user.name %3$s
                  git config user.email pair@ash.invalid
                  git fetch -q --no-tags .ash-in.bundle +%1$s:refs/ash/base
                  git checkout -q -f -B %2$s refs/ash/base
                  rm -f .ash-in.bundle
                  touch .git/ash-ready
                  """
                        .formatted(baseRef, branch, ConfinedGit.quote(author));
    }

    /** Returns the script that creates an empty repository. */
    static String initScript(HistoryFormat history) {
        return """
            git init -q %1$s .
            printf %%s %2$s >.git/shallow
            [ -s .git/shallow ] || rm .git/shallow
            ls -A | grep -v -x -e .git -e .ash-in.bundle | sed 's,^,/,' >>.git/info/exclude || true
            """
                .formatted(
                        history.isSha256() ? "--object-format=sha256" : "",
                        ConfinedGit.quote(history.shallow()));
    }

    void copyIn(TenantId tenant, SessionId session, Path bundle)
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

    void copyOut(TenantId tenant, SessionId session, String path, Path to)
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
            throw new RepositoryException("Cannot transfer a git bundle: " + e.message());
        } catch (IOException e) {
            throw new RepositoryException("Cannot transfer a git bundle: " + e.getMessage());
        } catch (RuntimeException e) {
            throw e;
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
    }
}

package dev.ash.server.pair;

import dev.ash.pair.loop.RepositoryException;
import dev.ash.protocol.SessionId;
import dev.ash.protocol.TenantId;
import dev.ash.sandbox.ConfinedCommand;
import dev.ash.sandbox.launch.Mount;
import dev.ash.server.session.SessionService;
import java.io.IOException;
import java.nio.file.Path;

/**
 * The reviewer's clone: its session's workspace, which is read-only in its sandbox. Ash checks out
 * the commit under review from outside. Ash creates the repository, and git only runs with the
 * configuration that this class writes.
 */
final class ReviewerClone {
    /** Removes every repository that came with the agent's files. */
    private static final String CLEAR = "find . -iname .git -prune -exec rm -rf {} +\n";

    private final SessionService sessions;
    private final ConfinedGit git;
    private final TenantId tenant;
    private final SessionId session;
    private boolean isSha256;

    ReviewerClone(SessionService sessions, ConfinedGit git, TenantId tenant, SessionId session) {
        this.sessions = sessions;
        this.git = git;
        this.tenant = tenant;
        this.session = session;
    }

    /** Clones the base, unless Ash has done so before. */
    void create(Bundles bundles, String baseRef, String branch, HistoryFormat history)
            throws RepositoryException, InterruptedException {
        isSha256 = history.isSha256();
        if (bundles.hasClone(session)) {
            return;
        }
        var fetch =
                """
                git fetch -q --no-tags /dev/stdin +%1$s:refs/ash/base
                git checkout -q -f -B %2$s refs/ash/base
                """
                        .formatted(baseRef, branch);
        var script = CLEAR + BundleTransfer.initScript(history) + configure() + fetch;
        run(script, bundles.base());
        try {
            bundles.markCloned(session);
        } catch (IOException e) {
            throw new RepositoryException("Cannot record the reviewer's clone: " + e);
        }
    }

    /** Checks out a commit; {@code bundle} contains the commits since the base. */
    void checkOut(Path bundle, String commit) throws RepositoryException, InterruptedException {
        var script =
                """
                git fetch -q --no-tags /dev/stdin +HEAD:refs/ash/review
                git checkout -q -f --detach %1$s
                git clean -q -ffd
                """
                        .formatted(commit);
        run(configure() + script, bundle);
    }

    /**
     * Writes the configuration of the clone, and removes files that could make git run a program.
     */
    private String configure() {
        return """
            [ -d .git ] && [ ! -L .git ] || { echo "the reviewer's clone is missing" >&2; exit 3; }
            rm -rf .git/config .git/config.worktree .git/commondir .git/hooks .git/info/attributes \
                .git/objects/info/alternates
            cat >.git/config <<'END'
            [core]
                repositoryformatversion = %1$s
                filemode = true
                bare = false
                logallrefupdates = true
            [user]
                name = reviewer
                email = pair@ash.invalid
            %2$s
            END
            """
                .formatted(
                        isSha256 ? "1" : "0",
                        isSha256 ? "[extensions]\n    objectformat = sha256" : "");
    }

    private void run(String script, Path bundle) throws RepositoryException, InterruptedException {
        git.run(command(script).withInput(bundle));
    }

    private ConfinedCommand command(String script) {
        var directory = sessions.workspace(tenant, session);
        return ConfinedGit.script(
                Mount.writable(directory.path(), "/workspace"), directory.owner(), script);
    }
}

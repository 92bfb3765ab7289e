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
 * The clone that the reviewer reads: its session's workspace, which its sandbox cannot write. Ash
 * moves it from the outside, so that it is at exactly the commit under review. The repository in it
 * is made by Ash, and git never runs with another configuration than the one that is written here.
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

    /** Makes the clone of the base, unless Ash has made it already. */
    void make(Bundles bundles, String holder, String branch, HistoryFormat history)
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
                        .formatted(holder, branch);
        var script = CLEAR + BundleTransfer.begin(history) + configure() + fetch;
        run(script, bundles.base());
        try {
            bundles.cloned(session);
        } catch (IOException e) {
            throw new RepositoryException("The reviewer's clone could not be recorded: " + e);
        }
    }

    /** {@code bundle} has the commits since the base; it is not needed for the base itself. */
    void move(Path bundle, String commit) throws RepositoryException, InterruptedException {
        var script =
                """
                git fetch -q --no-tags /dev/stdin +HEAD:refs/ash/review
                git checkout -q -f --detach %1$s
                git clean -q -ffd
                """
                        .formatted(commit);
        run(configure() + script, bundle);
    }

    /** Writes all settings of the clone, and removes what else could make git run a program. */
    private String configure() {
        return """
            [ -d .git ] && [ ! -L .git ] || { echo "the reviewer's clone is gone" >&2; exit 3; }
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
        git.run(command(script).reading(bundle));
    }

    private ConfinedCommand command(String script) {
        var directory = sessions.workspace(tenant, session);
        return ConfinedGit.script(
                Mount.writable(directory.path(), "/workspace"), directory.owner(), script);
    }
}

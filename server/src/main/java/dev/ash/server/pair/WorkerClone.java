package dev.ash.server.pair;

import dev.ash.pair.loop.RepositoryException;
import dev.ash.pair.loop.RunRepositories.Proof;
import dev.ash.protocol.ApiException;
import dev.ash.protocol.SessionId;
import dev.ash.protocol.TenantId;
import dev.ash.protocol.bridge.BridgeEvent.ExecResult;
import dev.ash.server.session.SessionService;
import java.nio.file.Path;
import java.time.Duration;

/**
 * The worker's clone: its session's workspace. Its agent can write everything there, so git runs
 * only in the sandbox and its output is validated.
 */
final class WorkerClone {
    private static final Duration GIT_TIMEOUT = Duration.ofMinutes(10);
    private static final int TIMED_OUT_EXIT_CODE = 124;
    private static final String OUT = ".git/ash-out.bundle";
    private static final String GIT_COMMAND =
            "export GIT_TERMINAL_PROMPT=0 GIT_EDITOR=true LC_ALL=C\n"
                    + "git() { command git --no-pager -c commit.gpgSign=false"
                    + " -c core.hooksPath=/dev/null -c core.fsmonitor=false \"$@\"; }\n";

    private final SessionService sessions;
    private final BundleTransfer transfer;
    private final TenantId tenant;
    private final SessionId session;

    WorkerClone(
            SessionService sessions, BundleTransfer transfer, TenantId tenant, SessionId session) {
        this.sessions = sessions;
        this.transfer = transfer;
        this.tenant = tenant;
        this.session = session;
    }

    /** Clones a bundle, unless the clone exists. */
    void create(Path bundle, String baseRef, String branch, String author, HistoryFormat history)
            throws RepositoryException, InterruptedException {
        if (run("[ -e .git/ash-ready ] && echo ready || true").strip().equals("ready")) {
            return;
        }
        transfer.copyIn(tenant, session, bundle);
        run(BundleTransfer.cloneScript(baseRef, branch, author, history));
    }

    /**
     * Commits all changes and returns the commit. Files that git cannot add, such as a nested
     * repository without commits, remain uncommitted, and the clone is kept because of them.
     */
    String commit(String message) throws RepositoryException, InterruptedException {
        var output =
                run(
                        """
                        git add -A || git add -A --ignore-errors || [ $? = 1 ]
                        git diff --cached --quiet || git commit -q --no-verify -m %s
                        git rev-parse HEAD
                        """
                                .formatted(ConfinedGit.quote(message)));
        return CommitHash.requireValid(output.strip().lines().reduce("", (_, last) -> last));
    }

    /** Copies all commits since the base out of the sandbox as a bundle of HEAD. */
    void bundle(String base, Path to) throws RepositoryException, InterruptedException {
        run("rm -f %1$s && git bundle create -q %1$s HEAD ^%2$s".formatted(OUT, base));
        transfer.copyOut(tenant, session, OUT, to);
        run("rm -f " + OUT);
    }

    Proof runProof(String command, Duration limit)
            throws RepositoryException, InterruptedException {
        var result = exec(command, limit);
        return new Proof(
                result.exitCode(),
                result.stdout() + (result.stderr().isEmpty() ? "" : "\n" + result.stderr()),
                result.exitCode() == TIMED_OUT_EXIT_CODE);
    }

    /** Lists commits that were not fetched and uncommitted changes; empty if there are none. */
    String unsavedWork(String saved) throws RepositoryException, InterruptedException {
        return run("""
                        git status --porcelain | head -n 5
                        git rev-list --all --not %s | head -n 5
                        find . -mindepth 2 -name .git -prune -printf '%%h is a nested repository\\n' | head -n 5
                        """
                        .formatted(saved))
                .strip();
    }

    private String run(String script) throws RepositoryException, InterruptedException {
        var result = exec("set -e\n" + GIT_COMMAND + script, GIT_TIMEOUT);
        if (result.exitCode() != 0) {
            throw new RepositoryException(
                    "In the worker's clone: "
                            + ConfinedGit.errorMessage(result.exitCode(), result.stderr()));
        }
        return result.stdout();
    }

    private ExecResult exec(String command, Duration limit)
            throws RepositoryException, InterruptedException {
        try {
            return sessions.exec(tenant, session, command, limit);
        } catch (ApiException e) {
            if (Thread.interrupted()) {
                throw new InterruptedException();
            }
            throw new RepositoryException("Cannot use the worker's sandbox: " + e.message());
        }
    }
}

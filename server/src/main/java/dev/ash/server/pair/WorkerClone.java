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
 * The clone that the worker works in: its session's workspace. Its agent can write everything in
 * it, so git runs in the sandbox alone, and what comes out is checked.
 */
final class WorkerClone {
    private static final Duration GIT = Duration.ofMinutes(10);
    private static final int TIMED_OUT = 124;
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

    /** Makes the clone of a bundle, unless it is there. */
    void make(Path bundle, String holder, String branch, String author, HistoryFormat history)
            throws RepositoryException, InterruptedException {
        if (run("[ -e .git/ash-ready ] && echo ready || true").strip().equals("ready")) {
            return;
        }
        transfer.in(tenant, session, bundle);
        run(BundleTransfer.clone(holder, branch, author, history));
    }

    /**
     * CommitHash what is left, and tells the commit. What git cannot take, such as another
     * repository without a commit, stays where it is, and so does the clone.
     */
    String commit(String message) throws RepositoryException, InterruptedException {
        var output =
                run(
                        """
                        git add -A || git add -A --ignore-errors || [ $? = 1 ]
                        git diff --cached --quiet || git commit -q --no-verify -m %s
                        git rev-parse HEAD
                        """
                                .formatted(ConfinedGit.quoted(message)));
        return CommitHash.checked(output.strip().lines().reduce("", (_, last) -> last));
    }

    /** Brings all commits since the base out, as a bundle of their HEAD. */
    void bundle(String base, Path to) throws RepositoryException, InterruptedException {
        run("rm -f %1$s && git bundle create -q %1$s HEAD ^%2$s".formatted(OUT, base));
        transfer.out(tenant, session, OUT, to);
        run("rm -f " + OUT);
    }

    Proof prove(String command, Duration limit) throws RepositoryException, InterruptedException {
        var result = exec(command, limit);
        return new Proof(
                result.exitCode(),
                result.stdout() + (result.stderr().isEmpty() ? "" : "\n" + result.stderr()),
                result.exitCode() == TIMED_OUT);
    }

    /** CommitHash that are on no branch that was brought out, and work that is in no commit. */
    String unsaved(String saved) throws RepositoryException, InterruptedException {
        return run("""
                        git status --porcelain | head -n 5
                        git rev-list --all --not %s | head -n 5
                        find . -mindepth 2 -name .git -prune -printf '%%h is a repository of its own\\n' | head -n 5
                        """
                        .formatted(saved))
                .strip();
    }

    private String run(String script) throws RepositoryException, InterruptedException {
        var result = exec("set -e\n" + GIT_COMMAND + script, GIT);
        if (result.exitCode() != 0) {
            throw new RepositoryException(
                    "In the worker's clone: "
                            + ConfinedGit.sentence(result.exitCode(), result.stderr()));
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
            throw new RepositoryException("The worker's sandbox cannot be used: " + e.message());
        }
    }
}

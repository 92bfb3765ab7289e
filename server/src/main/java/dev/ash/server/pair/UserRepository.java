package dev.ash.server.pair;

import dev.ash.pair.loop.RepositoryException;
import dev.ash.protocol.ApiException;
import dev.ash.protocol.Excerpt;
import dev.ash.sandbox.ConfinedCommand;
import dev.ash.sandbox.launch.Mount;
import dev.ash.server.project.Project;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/**
 * The user's repository. Ash reads it and adds branches and commits; it does not change or delete
 * anything else, and does not touch the working tree.
 *
 * @param top the working tree
 * @param gitDirectory the common git directory, if it is outside of the working tree
 */
record UserRepository(ConfinedGit git, Project top, Optional<Project> gitDirectory) {
    static final int MAX_BRANCHES = 100;

    private String run(String script) throws RepositoryException, InterruptedException {
        return git.run(script(script));
    }

    /** Requires that both directories are still the ones that were admitted. */
    private ConfinedCommand script(String script) {
        var command =
                ConfinedGit.script(mount(top), top.owner(), script)
                        .withIdentity(top.path().toString(), top.key());
        return gitDirectory
                .map(
                        common ->
                                command.withMounts(List.of(mount(common)))
                                        .withIdentity(common.path().toString(), common.key()))
                .orElse(command);
    }

    private static Mount mount(Project directory) {
        return Mount.writable(directory.path(), directory.path().toString());
    }

    /** Resolves a name to a commit. */
    String commit(String name) throws RepositoryException, InterruptedException {
        try {
            return CommitHash.requireValid(
                    run("git rev-parse --verify --quiet --end-of-options "
                                    + ConfinedGit.quote(name + "^{commit}"))
                            .strip());
        } catch (RepositoryException e) {
            throw new RepositoryException(
                    name.equals("HEAD")
                            ? "The repository has no commits, or git cannot read it; create a commit first"
                            : "\"" + name + "\" is not a commit of the repository");
        }
    }

    /** Returns the parent of HEAD, the default base of a review. */
    String parent() throws RepositoryException, InterruptedException {
        commit("HEAD"); // reports a repository without commits
        try {
            return commit("HEAD^");
        } catch (RepositoryException e) {
            throw ApiException.invalid(
                    "base",
                    "is required, because HEAD has no parent; name the commit before the changes (--base COMMIT)");
        }
    }

    /** Returns the number of changed files since the last commit; runs do not include them. */
    int uncommitted() throws RepositoryException, InterruptedException {
        // Without optional locks, so that git does not rewrite the user's index.
        var count =
                run(
                        "git --no-optional-locks status --porcelain --untracked-files=normal --ignore-submodules=dirty | wc -l");
        return Integer.parseInt(count.strip());
    }

    /** Reads the format; of a shallow history at most as many boundary commits as fit a command. */
    HistoryFormat history(String commit) throws RepositoryException, InterruptedException {
        var output =
                run(
                        """
                        git rev-parse --show-object-format
                        ends=$(git rev-parse --git-path shallow)
                        if [ -s "$ends" ]; then
                            git rev-list %s | grep -F -x -f "$ends" | head -n 1000
                        fi
                        """
                                .formatted(commit));
        int end = output.indexOf('\n') + 1;
        return new HistoryFormat(output.startsWith("sha256"), output.substring(end));
    }

    /** Writes a commit with its history to a bundle, and keeps the commit with a ref. */
    void bundle(String commit, String ref, Path to)
            throws RepositoryException, InterruptedException {
        var script =
                """
                git update-ref %1$s %2$s
                git bundle create -q - %1$s
                """
                        .formatted(ref, commit);
        git.run(script(script).withOutput(to));
    }

    /**
     * Fetches the HEAD of a bundle into a branch and returns its name. Fast-forwards an existing
     * branch; if that is impossible, such as after a rewritten history, creates another branch.
     */
    String fetch(Path bundle, String commit, String branch)
            throws RepositoryException, InterruptedException {
        var script =
                """
                for i in '' $(seq 2 %3$d); do
                    b=%2$s${i:+-$i}
                    if [ "$(git rev-parse --verify --quiet "refs/heads/$b")" = %1$s ]; then
                        echo "$b"; exit 0
                    fi
                    if git fetch --no-progress --no-tags --no-write-fetch-head --no-recurse-submodules \
                        /dev/stdin "HEAD:refs/heads/$b" 2>/tmp/fetch-errors; then
                        [ "$(git rev-parse "refs/heads/$b")" = %1$s ] || {
                            echo 'the bundle does not contain the expected commit' >&2; exit 3; }
                        echo "$b"; exit 0
                    fi
                    grep -q 'rejected\\|refusing to fetch into' /tmp/fetch-errors || {
                        cat /tmp/fetch-errors >&2; exit 4; }
                done
                echo 'this run has too many branches' >&2; exit 5
                """
                        .formatted(commit, branch, MAX_BRANCHES);
        return git.run(script(script).withInput(bundle)).strip();
    }

    String stat(String from, String to) throws RepositoryException, InterruptedException {
        return run(
                "git diff --stat=100 --no-ext-diff --no-textconv %s %s | tail -n 60"
                        .formatted(from, to));
    }

    String diff(String from, String to, int maxChars)
            throws RepositoryException, InterruptedException {
        var text =
                run(
                        "git diff --no-color --no-ext-diff --no-textconv %s %s | head -c %d"
                                .formatted(from, to, 4L * maxChars));
        if (text.length() <= maxChars) {
            return text;
        }
        return Excerpt.prefix(text, maxChars)
                + "\n… (truncated: see git diff "
                + from
                + " "
                + to
                + ")";
    }
}

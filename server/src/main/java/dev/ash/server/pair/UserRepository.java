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
 * The user's own repository. Ash reads it, and adds branches and commits; it changes or deletes
 * nothing, and touches no working tree.
 *
 * @param top its working tree
 * @param elsewhere where its objects and branches are, if not in the working tree
 */
record UserRepository(ConfinedGit git, Project top, Optional<Project> elsewhere) {
    static final int MAX_NAMES = 100;

    private String run(String script) throws RepositoryException, InterruptedException {
        return git.run(script(script));
    }

    /** Both directories must still be those that were checked. */
    private ConfinedCommand script(String script) {
        var command =
                ConfinedGit.script(mount(top), top.owner(), script)
                        .requiring(top.path().toString(), top.key());
        return elsewhere
                .map(
                        common ->
                                command.seeing(List.of(mount(common)))
                                        .requiring(common.path().toString(), common.key()))
                .orElse(command);
    }

    private static Mount mount(Project directory) {
        return Mount.writable(directory.path(), directory.path().toString());
    }

    /** The commit that a name stands for. */
    String commit(String name) throws RepositoryException, InterruptedException {
        try {
            return CommitHash.checked(
                    run("git rev-parse --verify --quiet --end-of-options "
                                    + ConfinedGit.quoted(name + "^{commit}"))
                            .strip());
        } catch (RepositoryException e) {
            throw new RepositoryException(
                    name.equals("HEAD")
                            ? "The repository has no commit yet, or git cannot read it; commit"
                                    + " something first"
                            : "\"" + name + "\" names no commit of the repository");
        }
    }

    /** The commit before HEAD, where a review begins by default. */
    String parent() throws RepositoryException, InterruptedException {
        commit("HEAD"); // a repository without any has another remedy
        try {
            return commit("HEAD^");
        } catch (RepositoryException e) {
            throw ApiException.invalid(
                    "base",
                    "is needed, since HEAD has no parent; name the commit before the changes (--base COMMIT)");
        }
    }

    /** The number of files that differ from the last commit; those are not part of a run. */
    int uncommitted() throws RepositoryException, InterruptedException {
        // Without optional locks, or git would rewrite the user's index.
        var count =
                run(
                        "git --no-optional-locks status --porcelain --untracked-files=normal --ignore-submodules=dirty | wc -l");
        return Integer.parseInt(count.strip());
    }

    /** Of a shallow history it takes as many ends as a command can name. */
    HistoryFormat history(String commit) throws RepositoryException, InterruptedException {
        var said =
                run(
                        """
                        git rev-parse --show-object-format
                        ends=$(git rev-parse --git-path shallow)
                        if [ -s "$ends" ]; then
                            git rev-list %s | grep -F -x -f "$ends" | head -n 1000
                        fi
                        """
                                .formatted(commit));
        int end = said.indexOf('\n') + 1;
        return new HistoryFormat(said.startsWith("sha256"), said.substring(end));
    }

    /** Writes all that this commit needs to a file, and holds on to the commit. */
    void bundle(String commit, String holder, Path to)
            throws RepositoryException, InterruptedException {
        var script =
                """
                git update-ref %1$s %2$s
                git bundle create -q - %1$s
                """
                        .formatted(holder, commit);
        git.run(script(script).writing(to));
    }

    /**
     * Adds the commits of a bundle's HEAD as a branch, and tells which. One that is there goes
     * forward; where it cannot, such as when its history was rewritten, another is added.
     */
    String take(Path bundle, String commit, String branch)
            throws RepositoryException, InterruptedException {
        var script =
                """
                for i in '' $(seq 2 %3$d); do
                    b=%2$s${i:+-$i}
                    if [ "$(git rev-parse --verify --quiet "refs/heads/$b")" = %1$s ]; then
                        echo "$b"; exit 0
                    fi
                    if git fetch --no-progress --no-tags --no-write-fetch-head --no-recurse-submodules \
                        /dev/stdin "HEAD:refs/heads/$b" 2>/tmp/said; then
                        [ "$(git rev-parse "refs/heads/$b")" = %1$s ] || {
                            echo 'the bundle has another commit than was said' >&2; exit 3; }
                        echo "$b"; exit 0
                    fi
                    grep -q 'rejected\\|refusing to fetch into' /tmp/said || {
                        cat /tmp/said >&2; exit 4; }
                done
                echo 'there are too many branches of this run' >&2; exit 5
                """
                        .formatted(commit, branch, MAX_NAMES);
        return git.run(script(script).reading(bundle)).strip();
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
                + "\n… (the rest is cut off: see git diff "
                + from
                + " "
                + to
                + ")";
    }
}

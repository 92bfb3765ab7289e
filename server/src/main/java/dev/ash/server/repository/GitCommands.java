package dev.ash.server.repository;

import dev.ash.protocol.SessionId;
import dev.ash.protocol.TenantId;
import dev.ash.server.project.GitUser;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** Builds the git scripts for status, diff, commit and branch, and parses their output. */
final class GitCommands {
    private static final int MAX_MESSAGE = 50_000;

    /**
     * Uses a temporary copy of the index in which untracked files count as added. The copy keeps
     * the timestamp, by which git detects files that changed right after the index was written.
     */
    private static final String WITH_UNTRACKED =
            """
            index=$(git rev-parse --git-path index) || exit
            own=$(mktemp) || exit; trap 'rm -f "$own" "$own.lock"' EXIT
            if [ -f "$index" ]; then cp -p "$index" "$own"; else rm -f "$own"; fi || exit
            git ls-files -z --others --exclude-standard%s | (export GIT_INDEX_FILE="$own"; \
            git add -N --pathspec-from-file=- --pathspec-file-nul > /dev/null 2>&1)
            export GIT_INDEX_FILE="$own"
            """;

    /** Sets the author if neither the repository nor the environment configures one. */
    private static final String AUTHOR =
            """
            git config user.name > /dev/null || export GIT_AUTHOR_NAME="${GIT_AUTHOR_NAME:-$name}" \
            GIT_COMMITTER_NAME="${GIT_COMMITTER_NAME:-$name}"
            git config user.email > /dev/null || export \
            GIT_AUTHOR_EMAIL="${GIT_AUTHOR_EMAIL:-$email}" \
            GIT_COMMITTER_EMAIL="${GIT_COMMITTER_EMAIL:-$email}"
            """;

    private static final GitUser DEFAULT_USER = new GitUser("Ash", "ash@localhost");

    private static final String DIFF_OPTIONS = " --no-color --no-ext-diff --no-textconv -M";

    private final Git git;

    GitCommands(Git git) {
        this.git = git;
    }

    GitStatus status(TenantId tenant, SessionId session) {
        var separator = UUID.randomUUID().toString();
        var output =
                git.run(
                        tenant,
                        session,
                        "git status --porcelain=v2 --branch -z --untracked-files=all --find-renames"
                                + " || exit\n"
                                + "printf %s "
                                + separator
                                + "\n"
                                + WITH_UNTRACKED.formatted("")
                                + "against=HEAD; git rev-parse -q --verify HEAD > /dev/null"
                                + " || against=$(git hash-object -t tree /dev/null)\n"
                                + "git diff --numstat -z"
                                + DIFF_OPTIONS
                                + " \"$against\" -- || exit\nprintf %s "
                                + separator
                                + "\ngit diff --numstat -z"
                                + DIFF_OPTIONS
                                + " --no-renames \"$against\" --");
        var parts = output.split(separator, -1);
        if (parts.length != 3) {
            throw new GitFailedException("The output of git status cannot be parsed; try again");
        }
        return StatusParser.parse(parts[0], parts[1], parts[2]);
    }

    List<FileDiff> diff(
            TenantId tenant, SessionId session, @Nullable List<String> files, boolean cached) {
        var paths = files == null ? " --" : " -- " + Git.quoted(files);
        var diff =
                "git diff --raw --numstat -p -U3 --inter-hunk-context=0 --submodule=short"
                        + " --src-prefix=a/ --dst-prefix=b/"
                        + DIFF_OPTIONS;
        var script =
                cached
                        ? diff + " --cached" + paths
                        : WITH_UNTRACKED.formatted(paths)
                                + diff
                                + " --ours" // for conflicts, compare with our side
                                + paths;
        return DiffParser.parse(git.run(tenant, session, script));
    }

    String commit(
            TenantId tenant,
            SessionId session,
            String message,
            @Nullable List<String> files,
            Optional<GitUser> user) {
        if (message.isBlank() || message.length() > MAX_MESSAGE || message.indexOf('\0') >= 0) {
            throw new GitFailedException(
                    "A commit message is required, with at most %,d characters"
                            .formatted(MAX_MESSAGE));
        }
        var script = new StringBuilder();
        if (files == null) {
            script.append("if git diff --cached --quiet --no-ext-diff")
                    .append(" && ! git rev-parse -q --verify MERGE_HEAD > /dev/null; then\n")
                    .append("echo 'nothing is staged, so there is nothing to commit' >&2; exit 1;")
                    .append(" fi\n");
        } else {
            script.append("git add -A -- ").append(Git.quoted(files)).append(" || exit\n");
        }
        script.append(authorScript(user))
                .append("git commit --quiet --message=")
                .append(Git.quoted(message));
        if (files != null) {
            script.append(" --only -- ").append(Git.quoted(files));
        }
        script.append(" > /dev/null || exit\ngit rev-parse HEAD");
        return git.run(tenant, session, script.toString()).strip();
    }

    private static String authorScript(Optional<GitUser> user) {
        var author = user.map(found -> found.or(DEFAULT_USER)).orElse(DEFAULT_USER);
        var name = Git.quoted(String.valueOf(author.name()));
        var email = Git.quoted(String.valueOf(author.email()));
        return "name=%s; email=%s\n".formatted(name, email) + AUTHOR;
    }

    Optional<String> branch(TenantId tenant, SessionId session) {
        var name =
                git.run(
                                tenant,
                                session,
                                "git symbolic-ref -q --short HEAD || git rev-parse -q --short HEAD"
                                        + " || true")
                        .strip();
        return name.isEmpty() ? Optional.empty() : Optional.of(name);
    }
}

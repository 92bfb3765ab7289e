package dev.ash.server.repository;

import dev.ash.protocol.Excerpt;
import dev.ash.protocol.SessionId;
import dev.ash.protocol.TenantId;
import dev.ash.protocol.rest.SessionApi;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.UUID;
import java.util.stream.Collectors;

/**
 * Runs git in the sandbox of a session. What a repository says, by its hooks, filters and settings,
 * is done in there; what comes out is only read.
 */
final class Git {
    private static final long TIMEOUT_MS = 60_000;
    private static final int MAX_COMMAND_BYTES = 120_000; // the kernel takes 131072 in one piece
    private static final int MAX_WORDS = 500;
    private static final int TIMED_OUT = 124;
    private static final int NOT_FOUND = 127;

    /**
     * Takes no lock that the agent's own git would wait for, asks nobody, and looks for a
     * repository in the working directory, not above it. Paths given to it are paths, not patterns.
     */
    private static final String BEGIN =
            """
            export GIT_OPTIONAL_LOCKS=0 GIT_TERMINAL_PROMPT=0 GIT_EDITOR=true LC_ALL=C
            export GIT_CEILING_DIRECTORIES="${PWD%/*}"
            git() { command git --no-pager --literal-pathspecs -c core.quotePath=false \
            -c core.fsmonitor=false -c color.ui=false -c commit.gpgSign=false "$@"; }
            """;

    private final Shell shell;

    Git(Shell shell) {
        this.shell = shell;
    }

    /** The output of a script, which may use {@code git} and must end with what it returns. */
    String run(TenantId tenant, SessionId session, String script) {
        var end = UUID.randomUUID().toString(); // output without it at its end was cut off
        var command = BEGIN + "(\n" + script + "\n); c=$?; printf %s " + end + "; exit $c";
        if (command.getBytes(StandardCharsets.UTF_8).length > MAX_COMMAND_BYTES) {
            throw new GitFailedException(
                    "These are too many files, or too long a message, for one command; ask for fewer");
        }
        var result = shell.run(tenant, session, new SessionApi.Exec(command, TIMEOUT_MS));
        if (result.exitCode() != 0) {
            throw new GitFailedException(sentence(result.exitCode(), result.stderr()));
        }
        if (!result.stdout().endsWith(end)) {
            throw new GitFailedException(
                    "There are more changes here than can be shown at once; ask for single files");
        }
        return result.stdout().substring(0, result.stdout().length() - end.length());
    }

    private static String sentence(int exitCode, String errors) {
        if (exitCode == TIMED_OUT) {
            return "Git was not done after %d s, so it was ended".formatted(TIMEOUT_MS / 1000);
        }
        if (exitCode == NOT_FOUND) {
            return "Git is not installed on the server's host";
        }
        if (errors.contains("not a git repository")) {
            return "The working directory is not a git repository; `git init` makes it one";
        }
        var words =
                errors.lines()
                        .filter(line -> !line.startsWith("hint:") && !line.isBlank())
                        .map(line -> line.replaceFirst("^(fatal|error): ", ""))
                        .collect(Collectors.joining("; "));
        var shown = Excerpt.of(words, MAX_WORDS);
        return shown.isEmpty() ? "Git ended with code " + exitCode : "Git: " + shown;
    }

    /** As one word of a shell. */
    static String quoted(String text) {
        return "'" + text.replace("'", "'\\''") + "'";
    }

    static String quoted(List<String> words) {
        return words.stream().map(Git::quoted).collect(Collectors.joining(" "));
    }
}

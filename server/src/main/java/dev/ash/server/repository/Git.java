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
 * Runs git in the sandbox of a session. Hooks, filters and settings of the repository take effect
 * only inside the sandbox; the server only parses the output.
 */
final class Git {
    private static final long TIMEOUT_MS = 60_000;
    private static final int MAX_COMMAND_BYTES = 120_000; // the kernel limits an argument to 131072
    private static final int MAX_ERROR_CHARS = 500;
    private static final int TIMED_OUT = 124;
    private static final int NOT_FOUND = 127;

    /**
     * Avoids locks that would block the agent's own git, disables prompts, and looks for a
     * repository only in the working directory, not above it. Paths are literal, not patterns.
     */
    private static final String PREAMBLE =
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

    /** Runs a script, which may call {@code git}; returns its output. */
    String run(TenantId tenant, SessionId session, String script) {
        var endMarker = UUID.randomUUID().toString(); // missing if the output is truncated
        var command = PREAMBLE + "(\n" + script + "\n); c=$?; printf %s " + endMarker + "; exit $c";
        if (command.getBytes(StandardCharsets.UTF_8).length > MAX_COMMAND_BYTES) {
            throw new GitFailedException(
                    "The command has too many files or too long a message; use fewer files or a shorter message");
        }
        var result = shell.run(tenant, session, new SessionApi.Exec(command, TIMEOUT_MS));
        if (result.exitCode() != 0) {
            throw new GitFailedException(message(result.exitCode(), result.stderr()));
        }
        if (!result.stdout().endsWith(endMarker)) {
            throw new GitFailedException(
                    "There are more changes than can be shown in one response; request single files");
        }
        return result.stdout().substring(0, result.stdout().length() - endMarker.length());
    }

    private static String message(int exitCode, String errors) {
        if (exitCode == TIMED_OUT) {
            return "Git did not finish within %d s and was terminated".formatted(TIMEOUT_MS / 1000);
        }
        if (exitCode == NOT_FOUND) {
            return "Git is not installed on the server's host";
        }
        if (errors.contains("not a git repository")) {
            return "The working directory is not a git repository; create one with `git init`";
        }
        var details =
                errors.lines()
                        .filter(line -> !line.startsWith("hint:") && !line.isBlank())
                        .map(line -> line.replaceFirst("^(fatal|error): ", ""))
                        .collect(Collectors.joining("; "));
        var shown = Excerpt.of(details, MAX_ERROR_CHARS);
        return shown.isEmpty() ? "Git failed with exit code " + exitCode : "Git: " + shown;
    }

    /** Quotes a text as a single shell word. */
    static String quoted(String text) {
        return "'" + text.replace("'", "'\\''") + "'";
    }

    static String quoted(List<String> words) {
        return words.stream().map(Git::quoted).collect(Collectors.joining(" "));
    }
}

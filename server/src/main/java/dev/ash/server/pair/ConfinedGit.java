package dev.ash.server.pair;

import dev.ash.pair.loop.RepositoryException;
import dev.ash.protocol.Excerpt;
import dev.ash.sandbox.ConfinedCommand;
import dev.ash.sandbox.ConfinedCommands;
import dev.ash.sandbox.launch.HostUser;
import dev.ash.sandbox.launch.Mount;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;

/**
 * Runs git as a confined command on directories of the host that no agent can write meanwhile. Git
 * has access to those directories only, no network, no configuration except the repository's, and
 * runs no hooks.
 */
final class ConfinedGit {
    private static final Duration TIMEOUT = Duration.ofMinutes(10);
    private static final int MAX_ERROR_CHARS = 500;

    private static final Map<String, String> ENVIRONMENT =
            Map.ofEntries(
                    Map.entry("HOME", "/tmp"),
                    Map.entry("LC_ALL", "C"),
                    Map.entry("GIT_TERMINAL_PROMPT", "0"),
                    Map.entry("GIT_CONFIG_NOSYSTEM", "1"),
                    Map.entry("GIT_CONFIG_COUNT", "5"),
                    Map.entry("GIT_CONFIG_KEY_0", "core.hooksPath"),
                    Map.entry("GIT_CONFIG_VALUE_0", "/dev/null"),
                    Map.entry("GIT_CONFIG_KEY_1", "safe.directory"),
                    Map.entry("GIT_CONFIG_VALUE_1", "*"),
                    Map.entry("GIT_CONFIG_KEY_2", "core.fsmonitor"),
                    Map.entry("GIT_CONFIG_VALUE_2", "false"),
                    Map.entry("GIT_CONFIG_KEY_3", "fetch.fsckObjects"),
                    Map.entry("GIT_CONFIG_VALUE_3", "true"),
                    Map.entry("GIT_CONFIG_KEY_4", "gc.auto"),
                    Map.entry("GIT_CONFIG_VALUE_4", "0"));

    private final ConfinedCommands commands;

    ConfinedGit(ConfinedCommands commands) {
        this.commands = commands;
    }

    /** Creates a script for {@link #run}, with {@code set -e}. */
    static ConfinedCommand script(Mount directory, Optional<HostUser> owner, String script) {
        return ConfinedCommand.in(directory, owner, "set -e\n" + script, ENVIRONMENT, TIMEOUT);
    }

    /** Runs a script and returns its output. */
    String run(ConfinedCommand script) throws RepositoryException, InterruptedException {
        var result = commands.run(script);
        if (result.exitCode() != 0) {
            throw new RepositoryException(errorMessage(result.exitCode(), result.stderr()));
        }
        return result.stdout();
    }

    static String errorMessage(int exitCode, String stderr) {
        var errors =
                stderr.lines()
                        .filter(line -> !line.startsWith("hint:") && !line.isBlank())
                        .map(line -> line.replaceFirst("^(fatal|error): ", ""))
                        .collect(Collectors.joining("; "));
        var shown = Excerpt.of(errors, MAX_ERROR_CHARS);
        return shown.isEmpty() ? "Git exited with code " + exitCode : "Git: " + shown;
    }

    /** Quotes text as a single word of a shell. */
    static String quote(String text) {
        return "'" + text.replace("'", "'\\''") + "'";
    }
}

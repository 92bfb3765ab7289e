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
 * Git on directories of the host that no agent can write while it runs. It is given none of the
 * host but those directories, no network, and no settings but the repository's; hooks are not
 * asked.
 */
final class ConfinedGit {
    private static final Duration TIMEOUT = Duration.ofMinutes(10);
    private static final int MAX_WORDS = 500;

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

    /** A script for {@link #run}; it begins with {@code set -e}. */
    static ConfinedCommand script(Mount directory, Optional<HostUser> owner, String script) {
        return ConfinedCommand.in(directory, owner, "set -e\n" + script, ENVIRONMENT, TIMEOUT);
    }

    /** What the script printed. */
    String run(ConfinedCommand script) throws RepositoryException, InterruptedException {
        var result = commands.run(script);
        if (result.exitCode() != 0) {
            throw new RepositoryException(sentence(result.exitCode(), result.stderr()));
        }
        return result.stdout();
    }

    static String sentence(int exitCode, String errors) {
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
}

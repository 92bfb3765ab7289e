package dev.ash.sandbox;

import dev.ash.sandbox.launch.HostUser;
import dev.ash.sandbox.launch.Mount;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * A shell command for a directory of the host that has no sandbox of its own.
 *
 * @param directory where it runs
 * @param more other directories that it sees
 * @param user the host's user that it runs as; absent for the server's own
 * @param environment all variables but {@code PATH}
 * @param identities file keys by path as the command sees them; if the file at such a path is
 *     another, nothing runs
 * @param input a file that only the server can replace, read as standard input
 * @param output such a file that gets the standard output; absent to return the output
 */
public record ConfinedCommand(
        Mount directory,
        List<Mount> more,
        Optional<HostUser> user,
        String script,
        Map<String, String> environment,
        Duration timeout,
        Map<String, Object> identities,
        Optional<Path> input,
        Optional<Path> output) {

    /** {@code stdout} and {@code stderr} are cut off where they are too long. */
    public record Result(int exitCode, String stdout, String stderr) {}

    public ConfinedCommand {
        more = List.copyOf(more);
        environment = Map.copyOf(environment);
        identities = Map.copyOf(identities);
    }

    public static ConfinedCommand in(
            Mount directory,
            Optional<HostUser> user,
            String script,
            Map<String, String> environment,
            Duration timeout) {
        return new ConfinedCommand(
                directory,
                List.of(),
                user,
                script,
                environment,
                timeout,
                Map.of(),
                Optional.empty(),
                Optional.empty());
    }

    public ConfinedCommand seeing(List<Mount> others) {
        return new ConfinedCommand(
                directory, others, user, script, environment, timeout, identities, input, output);
    }

    /** Runs only if the directory at this path is still the one with this file key. */
    public ConfinedCommand requiring(String path, Object key) {
        var all = new HashMap<>(identities);
        all.put(path, key);
        return new ConfinedCommand(
                directory, more, user, script, environment, timeout, all, input, output);
    }

    public ConfinedCommand reading(Path file) {
        return new ConfinedCommand(
                directory,
                more,
                user,
                script,
                environment,
                timeout,
                identities,
                Optional.of(file),
                output);
    }

    public ConfinedCommand writing(Path file) {
        return new ConfinedCommand(
                directory,
                more,
                user,
                script,
                environment,
                timeout,
                identities,
                input,
                Optional.of(file));
    }
}

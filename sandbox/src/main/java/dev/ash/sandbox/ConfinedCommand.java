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
 * A shell command to run, isolated like a sandbox, on a directory of the host that has no sandbox.
 *
 * @param directory working directory
 * @param moreMounts mounts of other directories that the command sees
 * @param user host user that the command runs as; absent for the server's user
 * @param environment all variables except {@code PATH}
 * @param identities expected file keys by path as the command sees it; the command does not run if
 *     the file at such a path has another key
 * @param input file to read as standard input; only the server may be able to replace it
 * @param output file for the standard output, with the same requirement; absent to return the
 *     output
 */
public record ConfinedCommand(
        Mount directory,
        List<Mount> moreMounts,
        Optional<HostUser> user,
        String script,
        Map<String, String> environment,
        Duration timeout,
        Map<String, Object> identities,
        Optional<Path> input,
        Optional<Path> output) {

    /** Result of a command; {@code stdout} and {@code stderr} are truncated to a maximum length. */
    public record Result(int exitCode, String stdout, String stderr) {}

    public ConfinedCommand {
        moreMounts = List.copyOf(moreMounts);
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

    public ConfinedCommand withMounts(List<Mount> others) {
        return new ConfinedCommand(
                directory, others, user, script, environment, timeout, identities, input, output);
    }

    /** Returns a command that runs only if the directory at the path still has this file key. */
    public ConfinedCommand withIdentity(String path, Object key) {
        var all = new HashMap<>(identities);
        all.put(path, key);
        return new ConfinedCommand(
                directory, moreMounts, user, script, environment, timeout, all, input, output);
    }

    public ConfinedCommand withInput(Path file) {
        return new ConfinedCommand(
                directory,
                moreMounts,
                user,
                script,
                environment,
                timeout,
                identities,
                Optional.of(file),
                output);
    }

    public ConfinedCommand withOutput(Path file) {
        return new ConfinedCommand(
                directory,
                moreMounts,
                user,
                script,
                environment,
                timeout,
                identities,
                input,
                Optional.of(file));
    }
}

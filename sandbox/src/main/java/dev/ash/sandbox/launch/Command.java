package dev.ash.sandbox.launch;

import java.lang.ProcessBuilder.Redirect;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A command line to run. {@code environment} is the complete environment: nothing is inherited from
 * the server, whose own environment holds the host's secrets.
 *
 * @param input short text to pass as standard input through a pipe; absent for none
 */
public record Command(
        List<String> arguments,
        Map<String, String> environment,
        Path directory,
        Redirect stdout,
        Redirect stderr,
        @Nullable String input) {

    public Command(
            List<String> arguments,
            Map<String, String> environment,
            Path directory,
            Redirect stdout,
            Redirect stderr) {
        this(arguments, environment, directory, stdout, stderr, null);
    }

    public Command {
        arguments = List.copyOf(arguments);
        environment = Map.copyOf(environment);
    }

    /** Returns a command of a system program whose output is discarded. */
    public static Command quiet(String... arguments) {
        return new Command(
                List.of(arguments),
                Map.of("PATH", HostTools.DEFAULT_PATH, "LC_ALL", "C"),
                Path.of("/"),
                Redirect.DISCARD,
                Redirect.DISCARD);
    }

    public Command withStderr(Redirect stderr) {
        return new Command(arguments, environment, directory, stdout, stderr, input);
    }

    public Command withInput(String input) {
        return new Command(arguments, environment, directory, stdout, stderr, input);
    }
}

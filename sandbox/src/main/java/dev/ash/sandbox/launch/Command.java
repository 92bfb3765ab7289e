package dev.ash.sandbox.launch;

import java.lang.ProcessBuilder.Redirect;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What to run, and with what. {@code environment} is the whole of it: nothing of the server's own
 * is inherited, for that holds the host's secrets.
 *
 * @param input short text that it gets as its standard input through a pipe; absent for none
 */
public record Command(
        List<String> words,
        Map<String, String> environment,
        Path directory,
        Redirect stdout,
        Redirect stderr,
        @Nullable String input) {

    public Command(
            List<String> words,
            Map<String, String> environment,
            Path directory,
            Redirect stdout,
            Redirect stderr) {
        this(words, environment, directory, stdout, stderr, null);
    }

    public Command {
        words = List.copyOf(words);
        environment = Map.copyOf(environment);
    }

    /** A program of the system whose output nobody reads. */
    public static Command quiet(String... words) {
        return new Command(
                List.of(words),
                Map.of("PATH", HostTools.DEFAULT_PATH, "LC_ALL", "C"),
                Path.of("/"),
                Redirect.DISCARD,
                Redirect.DISCARD);
    }

    public Command withErrors(Redirect stderr) {
        return new Command(words, environment, directory, stdout, stderr, input);
    }

    public Command withInput(String input) {
        return new Command(words, environment, directory, stdout, stderr, input);
    }
}

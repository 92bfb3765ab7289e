package dev.ash.server;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;

/**
 * Checks whether sandboxes have the interpreter of a script: of the host's programs, they have only
 * those below {@code /usr}.
 */
final class Interpreters {
    private static final int MAX_LINE = 512;
    private static final List<String> DIRECTORIES = List.of("/usr/local/bin", "/usr/bin");

    /** Returns why sandboxes cannot run a program; empty if they can. */
    static Optional<String> problem(Path program) {
        try {
            return interpreter(program).filter(name -> !isInSandboxes(name)).map(name -> text(program, name));
        } catch (IOException e) {
            return Optional.empty(); // reported when the program is prepared
        }
    }

    private static String text(Path program, String interpreter) {
        return "%s is run by %s, and sandboxes have only programs below /usr; install it there"
                .formatted(program, interpreter);
    }

    /** Returns the path or name of the interpreter; empty for a native program. */
    private static Optional<String> interpreter(Path program) throws IOException {
        byte[] start;
        try (var in = Files.newInputStream(program)) {
            start = in.readNBytes(MAX_LINE);
        }
        var line = new String(start, StandardCharsets.ISO_8859_1).lines().findFirst().orElse("");
        if (!line.startsWith("#!")) {
            return Optional.empty();
        }
        var words =
                Arrays.stream(line.substring(2).strip().split("\\s+", -1))
                        .filter(word -> !word.isEmpty())
                        .toList();
        if (words.isEmpty() || !words.getFirst().endsWith("/env")) {
            return words.stream().findFirst();
        }
        return words.stream()
                .skip(1)
                .filter(word -> !word.startsWith("-") && word.indexOf('=') < 0)
                .findFirst();
    }

    private static boolean isInSandboxes(String interpreter) {
        if (interpreter.startsWith("/")) {
            return List.of("/usr/", "/bin/", "/sbin/").stream().anyMatch(interpreter::startsWith)
                    && Files.isExecutable(Path.of(interpreter));
        }
        return DIRECTORIES.stream()
                .anyMatch(directory -> Files.isExecutable(Path.of(directory, interpreter)));
    }

    private Interpreters() {}
}

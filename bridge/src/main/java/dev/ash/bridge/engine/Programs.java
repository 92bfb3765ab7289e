package dev.ash.bridge.engine;

import dev.ash.protocol.engine.EngineProfile;
import dev.ash.protocol.engine.EngineProfile.Program;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;

/**
 * Finds the program of an engine: the path in its variable, else its own, else on the {@code PATH}.
 */
public final class Programs {
    static Optional<Path> find(Map<String, String> environment, Program program) {
        var named = environment.getOrDefault(program.variable(), "");
        if (!named.isEmpty()) {
            return executable(named);
        }
        if (program.command().startsWith("/")) {
            return executable(program.command());
        }
        for (var directory : environment.getOrDefault("PATH", "").split(":", -1)) {
            var found = executable(directory + "/" + program.command());
            if (!directory.isEmpty() && found.isPresent()) {
                return found;
            }
        }
        return Optional.empty();
    }

    public static Path require(Map<String, String> environment, EngineProfile engine)
            throws EngineException {
        var program = engine.program().orElseThrow();
        var found = find(environment, program);
        if (found.isPresent()) {
            return found.get();
        }
        var install =
                (engine.installCommand().isEmpty()
                                ? "install it"
                                : "install it with '" + engine.installCommand() + "'")
                        + ", or set "
                        + program.variable()
                        + " to the path of the program";
        var named = environment.getOrDefault(program.variable(), "");
        throw new EngineException(
                named.isEmpty()
                        ? "The engine %s needs the %s program, but '%s' was not found; %s"
                                .formatted(
                                        engine.name(), engine.product(), program.command(), install)
                        : "%s is set to %s, which is not an executable file; %s"
                                .formatted(program.variable(), named, install));
    }

    private static Optional<Path> executable(String path) {
        try {
            var program = Path.of(path);
            return Files.isRegularFile(program) && Files.isExecutable(program)
                    ? Optional.of(program)
                    : Optional.empty();
        } catch (InvalidPathException e) {
            return Optional.empty();
        }
    }

    private Programs() {}
}

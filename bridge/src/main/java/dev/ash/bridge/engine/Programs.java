package dev.ash.bridge.engine;

import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;

/** Finds the program of an engine: where a variable says, else on the {@code PATH}. */
public final class Programs {
    public static Optional<Path> find(
            Map<String, String> environment, String variable, String name) {
        var named = environment.getOrDefault(variable, "");
        if (!named.isEmpty()) {
            return executable(named);
        }
        for (var folder : environment.getOrDefault("PATH", "").split(":", -1)) {
            var program = executable(folder + "/" + name);
            if (!folder.isEmpty() && program.isPresent()) {
                return program;
            }
        }
        return Optional.empty();
    }

    /** {@code product} is what the program is called by people, {@code npm} its package. */
    public static Path require(
            Map<String, String> environment,
            String variable,
            String name,
            String product,
            String npm)
            throws EngineException {
        var program = find(environment, variable, name);
        if (program.isPresent()) {
            return program.get();
        }
        var install =
                "install it with 'npm install -g %s', or set %s to the path of the program"
                        .formatted(npm, variable);
        var named = environment.getOrDefault(variable, "");
        throw new EngineException(
                named.isEmpty()
                        ? "The engine %s needs the %s program, and there is no '%s' on the PATH; %s"
                                .formatted(name, product, name, install)
                        : "%s names %s, which is not a program that can be run here; %s"
                                .formatted(variable, named, install));
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

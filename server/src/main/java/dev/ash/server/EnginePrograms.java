package dev.ash.server;

import dev.ash.protocol.ApiException;
import dev.ash.protocol.ErrorCode;
import dev.ash.protocol.engine.EngineName;
import dev.ash.protocol.engine.EngineProfile.Program;
import dev.ash.protocol.engine.EngineTable;
import dev.ash.server.session.engine.Engines.Availability;
import java.io.File;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** The engine programs that are installed on this machine, by engine. */
record EnginePrograms(Map<EngineName, Path> paths) {
    EnginePrograms {
        paths = Map.copyOf(paths);
    }

    static EnginePrograms find(ServerConfig config) {
        var paths = new HashMap<EngineName, Path>();
        for (var profile : EngineTable.builtIn().all()) {
            var configured = config.engines().programs().get(profile.name());
            profile.program()
                    .flatMap(program -> find(configured, program, config.environment()))
                    .ifPresent(path -> paths.put(profile.name(), path));
        }
        return new EnginePrograms(paths);
    }

    /** Returns for each engine whether its program and a credential of the server are present. */
    Map<EngineName, Availability> found(Map<String, String> environment) {
        var found = new HashMap<EngineName, Availability>();
        for (var profile : EngineTable.builtIn().all()) {
            found.put(
                    profile.name(),
                    new Availability(
                            paths.containsKey(profile.name()),
                            profile.provider().hasCredential(environment)));
        }
        return found;
    }

    private static Optional<Path> find(
            @Nullable String configured, Program program, Map<String, String> environment) {
        var path =
                configured != null
                        ? Optional.of(require(configured, program))
                        : Arrays.stream(
                                        environment
                                                .getOrDefault("PATH", "")
                                                .split(File.pathSeparator))
                                .filter(directory -> !directory.isEmpty())
                                .map(directory -> Path.of(directory, program.command()))
                                .filter(EnginePrograms::isProgram)
                                .findFirst();
        return path.map(present -> NativeProgram.resolve(present, program));
    }

    /** Does not fall back to another program or engine if the configured one is missing. */
    private static Path require(String configured, Program program) {
        var path = Path.of(configured);
        if (!isProgram(path)) {
            throw new ApiException(
                    ErrorCode.VALIDATION_FAILED,
                    "%s is \"%s\", which is not an executable file; install the program with '%s', or unset the variable"
                            .formatted(program.variable(), configured, program.installCommand()));
        }
        return path;
    }

    static boolean isProgram(Path path) {
        return Files.isExecutable(path) && Files.isRegularFile(path);
    }
}

package dev.ash.server;

import dev.ash.protocol.ApiException;
import dev.ash.protocol.ErrorCode;
import dev.ash.protocol.engine.EngineName;
import dev.ash.protocol.engine.EngineProfile.Program;
import dev.ash.protocol.engine.EngineProfiles;
import dev.ash.server.session.engine.Engines.Availability;
import java.io.File;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** The programs of engines that this machine has. */
record EnginePrograms(Map<EngineName, Path> paths) {
    EnginePrograms {
        paths = Map.copyOf(paths);
    }

    static EnginePrograms find(ServerConfig config) {
        var paths = new HashMap<EngineName, Path>();
        for (var profile : EngineProfiles.ALL) {
            var named = config.engines().programs().get(profile.name());
            profile.program()
                    .flatMap(program -> find(named, program, config.environment()))
                    .ifPresent(path -> paths.put(profile.name(), path));
        }
        return new EnginePrograms(paths);
    }

    /** Which engines have their program here, and a credential of the server's own. */
    Map<EngineName, Availability> found(Map<String, String> environment) {
        var found = new HashMap<EngineName, Availability>();
        for (var profile : EngineProfiles.ALL) {
            found.put(
                    profile.name(),
                    new Availability(
                            paths.containsKey(profile.name()),
                            profile.provider().hasCredential(environment)));
        }
        return found;
    }

    private static Optional<Path> find(
            @Nullable String named, Program program, Map<String, String> environment) {
        var path =
                named != null
                        ? Optional.of(require(named, program))
                        : Arrays.stream(
                                        environment
                                                .getOrDefault("PATH", "")
                                                .split(File.pathSeparator))
                                .filter(folder -> !folder.isEmpty())
                                .map(folder -> Path.of(folder, program.command()))
                                .filter(EnginePrograms::isProgram)
                                .findFirst();
        return path.map(present -> NativeProgram.of(present, program));
    }

    /** Who names a program wants that one, and not the demo in its place. */
    private static Path require(String named, Program program) {
        var path = Path.of(named);
        if (!isProgram(path)) {
            throw new ApiException(
                    ErrorCode.VALIDATION_FAILED,
                    "%s names %s, which is not a program that can be run; install it with '%s', or unset the variable"
                            .formatted(program.variable(), named, program.installCommand()));
        }
        return path;
    }

    static boolean isProgram(Path path) {
        return Files.isExecutable(path) && Files.isRegularFile(path);
    }
}

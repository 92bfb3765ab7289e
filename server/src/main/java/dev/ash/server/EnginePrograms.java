package dev.ash.server;

import dev.ash.protocol.ApiException;
import dev.ash.protocol.ErrorCode;
import dev.ash.protocol.engine.EngineName;
import dev.ash.protocol.engine.EngineProfile;
import dev.ash.protocol.engine.EngineProfile.Program;
import dev.ash.protocol.engine.NativeProgram;
import dev.ash.sandbox.SandboxProgram;
import dev.ash.server.session.engine.InstalledProgram;
import java.io.File;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** The engine programs that are installed on this machine, in the order of the table. */
record EnginePrograms(List<Found> found) {
    /**
     * A program on this machine.
     *
     * @param path the path at which it was found
     * @param inSandboxes the program that sandboxes run
     */
    record Found(EngineProfile engine, Program program, Path path, Path inSandboxes) {
        private InstalledProgram installed(boolean confined) {
            var problem =
                    confined ? Interpreters.problem(inSandboxes) : Optional.<String>empty();
            return new InstalledProgram(path, PackageVersion.of(path), problem.orElse(""));
        }
    }

    EnginePrograms {
        found = List.copyOf(found);
    }

    /** Searches the configured path, then those that Ash installed, then the {@code PATH}. */
    static EnginePrograms find(ServerConfig config) {
        var found =
                config.engines().table().all().stream()
                        .flatMap(engine -> find(engine, config).stream())
                        .toList();
        return new EnginePrograms(found);
    }

    private static Optional<Found> find(EngineProfile engine, ServerConfig config) {
        if (engine.program().isEmpty()) {
            return Optional.empty();
        }
        var program = engine.program().get();
        var configured = Optional.ofNullable(config.engines().programs().get(engine.name()));
        var path =
                configured.isPresent()
                        ? Optional.of(require(configured.get(), engine, program))
                        : Stream.concat(
                                        installedByAsh(engine, program, config.dataDir()),
                                        onPath(program, config.environment()))
                                .filter(EnginePrograms::isProgram)
                                .findFirst();
        return path.map(
                present ->
                        new Found(
                                engine,
                                program,
                                present,
                                NativeProgram.resolve(present, program)));
    }

    private static Stream<Path> installedByAsh(
            EngineProfile engine, Program program, Path dataDir) {
        return program.isPinned()
                ? Stream.of(
                        dataDir.resolve(engine.installDirectory())
                                .resolve("node_modules/.bin")
                                .resolve(program.command()))
                : Stream.empty();
    }

    private static Stream<Path> onPath(Program program, Map<String, String> environment) {
        return program.command().startsWith("/")
                ? Stream.of(Path.of(program.command()))
                : Arrays.stream(
                                environment.getOrDefault("PATH", "").split(File.pathSeparator, -1))
                        .filter(directory -> !directory.isEmpty())
                        .map(directory -> Path.of(directory, program.command()));
    }

    /** Does not fall back to another program or engine if the configured one is missing. */
    private static Path require(String configured, EngineProfile engine, Program program) {
        var path = Path.of(configured);
        if (!isProgram(path)) {
            var install = engine.installCommand();
            throw new ApiException(
                    ErrorCode.VALIDATION_FAILED,
                    "%s is \"%s\", which is not an executable file; %sunset the variable"
                            .formatted(
                                    program.variable(),
                                    configured,
                                    install.isEmpty()
                                            ? "correct or "
                                            : "install the program with '%s', or "
                                                    .formatted(install)));
        }
        return path;
    }

    /** {@code confined}: whether sandboxes have only a part of the host's files. */
    Map<EngineName, InstalledProgram> installed(boolean confined) {
        return found.stream()
                .collect(
                        Collectors.toUnmodifiableMap(
                                program -> program.engine().name(),
                                program -> program.installed(confined)));
    }

    /** Returns the programs to prepare for sandboxes. */
    List<SandboxProgram> inSandboxes() {
        return found.stream()
                .map(program -> new SandboxProgram(program.program(), program.inSandboxes()))
                .toList();
    }

    private static boolean isProgram(Path path) {
        return Files.isExecutable(path) && Files.isRegularFile(path);
    }
}

package dev.ash.cli.engine;

import dev.ash.cli.command.Host;
import dev.ash.cli.command.Programs;
import dev.ash.protocol.engine.EngineProfile;
import dev.ash.protocol.engine.EngineProfile.Program;
import dev.ash.protocol.engine.NativeProgram;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/** Finds the program of an engine as a server on this machine does. */
record LocalEngine(EngineProfile engine, Program program, Host host, Path dataDirectory) {
    /** Returns the configured path; empty if none is configured. */
    String configured() {
        return host.variable(program.variable(), "");
    }

    /** Returns the configured program, the one that Ash installed, or the one on the PATH. */
    Optional<Path> find() {
        if (!configured().isEmpty()) {
            return Optional.of(Path.of(configured())).filter(LocalEngine::isProgram);
        }
        return Optional.of(installedByAsh())
                .filter(_ -> program.isPinned())
                .filter(LocalEngine::isProgram)
                .or(() -> Programs.find(host, program.command()));
    }

    /** Returns the path of the program after {@code ash engines install}. */
    Path installedByAsh() {
        return dataDirectory
                .resolve(engine.installDirectory())
                .resolve("node_modules/.bin")
                .resolve(program.command());
    }

    /** Runs the program to get its version; the same program as sandboxes run. */
    Programs.Result version(Path path) {
        var resolved = NativeProgram.resolve(path, program);
        return Programs.run(host, List.of(resolved.toString(), "--version"));
    }

    private static boolean isProgram(Path path) {
        return Files.isRegularFile(path) && Files.isExecutable(path);
    }
}

package dev.ash.server;

import dev.ash.protocol.engine.EngineProfile.Launcher;
import dev.ash.protocol.engine.EngineProfile.Program;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Finds the native program that an npm launcher script starts. Sandboxes run the native program
 * directly because they may have no Node.
 */
final class NativeProgram {
    private final Launcher launcher;
    private final String scope;

    private NativeProgram(Launcher launcher, String scope) {
        this.launcher = launcher;
        this.scope = scope;
    }

    /** Returns the native program of a launcher, or the path itself if it is not a launcher. */
    static Path resolve(Path path, Program program) {
        if (program.launcher().isEmpty()) {
            return path;
        }
        var launcher = program.launcher().get();
        try {
            var real = path.toRealPath();
            return real.getFileName().toString().equals(launcher.script())
                    ? new NativeProgram(launcher, program.npmScope()).find(real).orElse(path)
                    : path;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** npm installs the native package next to the script's package, or inside it. */
    private Optional<Path> find(Path script) throws IOException {
        var parent = script.getParent();
        @Nullable Path home = parent == null ? null : parent.getParent();
        if (home == null) {
            return Optional.empty();
        }
        for (var directory :
                List.of(home.resolveSibling(""), home.resolve("node_modules").resolve(scope))) {
            var found = findIn(directory);
            if (found.isPresent()) {
                return found;
            }
        }
        return Optional.empty();
    }

    private Optional<Path> findIn(Path packages) throws IOException {
        if (!Files.isDirectory(packages)) {
            return Optional.empty();
        }
        try (var directories = Files.newDirectoryStream(packages, launcher.packagePrefix() + "*")) {
            for (var directory : directories) {
                try (var vendors = Files.newDirectoryStream(directory.resolve("vendor"))) {
                    for (var vendor : vendors) {
                        var program = vendor.resolve(launcher.program());
                        if (EnginePrograms.isProgram(program)) {
                            return Optional.of(program);
                        }
                    }
                }
            }
        }
        return Optional.empty();
    }
}

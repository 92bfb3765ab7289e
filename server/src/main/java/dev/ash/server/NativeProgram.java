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
 * Finds the native program behind the launcher that npm installs. Sandboxes get the native program:
 * they may have no Node, and it is complete by itself.
 */
final class NativeProgram {
    private final Launcher launcher;
    private final String scope;

    private NativeProgram(Launcher launcher, String scope) {
        this.launcher = launcher;
        this.scope = scope;
    }

    /** The native program that the launcher starts; the path itself if it is no launcher. */
    static Path of(Path path, Program program) {
        if (program.launcher().isEmpty()) {
            return path;
        }
        var launcher = program.launcher().get();
        try {
            var real = path.toRealPath();
            return real.getFileName().toString().equals(launcher.script())
                    ? new NativeProgram(launcher, program.npmScope()).beside(real).orElse(path)
                    : path;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** npm puts the package next to that of the script, or inside it. */
    private Optional<Path> beside(Path script) throws IOException {
        var parent = script.getParent();
        @Nullable Path home = parent == null ? null : parent.getParent();
        if (home == null) {
            return Optional.empty();
        }
        for (var folder :
                List.of(home.resolveSibling(""), home.resolve("node_modules").resolve(scope))) {
            var found = in(folder);
            if (found.isPresent()) {
                return found;
            }
        }
        return Optional.empty();
    }

    private Optional<Path> in(Path packages) throws IOException {
        if (!Files.isDirectory(packages)) {
            return Optional.empty();
        }
        try (var folders = Files.newDirectoryStream(packages, launcher.packagePrefix() + "*")) {
            for (var folder : folders) {
                try (var vendors = Files.newDirectoryStream(folder.resolve("vendor"))) {
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

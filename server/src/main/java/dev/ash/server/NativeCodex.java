package dev.ash.server;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * npm installs Codex as a script for Node that starts the real program out of a package beside it.
 * Sandboxes get that one: they may have no Node, and it is complete by itself.
 */
final class NativeCodex {
    private static final String PACKAGES = "codex-";

    /** The native program that the script starts; the program itself if it is no such script. */
    static Path of(Path program) {
        try {
            var real = program.toRealPath();
            return real.getFileName().toString().equals("codex.js")
                    ? beside(real).orElse(program)
                    : program;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** npm puts the package next to that of the script, or inside it. */
    private static Optional<Path> beside(Path script) throws IOException {
        var parent = script.getParent();
        @Nullable Path home = parent == null ? null : parent.getParent();
        if (home == null) {
            return Optional.empty();
        }
        for (var folder : List.of(home.resolveSibling(""), home.resolve("node_modules/@openai"))) {
            var found = in(folder);
            if (found.isPresent()) {
                return found;
            }
        }
        return Optional.empty();
    }

    private static Optional<Path> in(Path packages) throws IOException {
        if (!Files.isDirectory(packages)) {
            return Optional.empty();
        }
        try (var folders = Files.newDirectoryStream(packages, PACKAGES + "*"); ) {
            for (var folder : folders) {
                try (var vendors = Files.newDirectoryStream(folder.resolve("vendor"))) {
                    for (var vendor : vendors) {
                        var program = vendor.resolve("bin/codex");
                        if (EnginePrograms.isProgram(program)) {
                            return Optional.of(program);
                        }
                    }
                }
            }
        }
        return Optional.empty();
    }

    private NativeCodex() {}
}

package dev.ash.protocol.engine;

import dev.ash.protocol.engine.EngineProfile.Launcher;
import dev.ash.protocol.engine.EngineProfile.Program;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Finds the native program that a script of an npm package starts. Sandboxes run the native program
 * directly because they may have no Node.
 */
public final class NativeProgram {
    /** Returns the native program of a script, or the path itself if there is none. */
    public static Path resolve(Path path, Program program) {
        if (program.launcher().isEmpty()) {
            return path;
        }
        try {
            var name = Path.of("node_modules").resolve(program.npmPackage());
            var directory = npmPackage(path.toRealPath(), name);
            if (directory.isEmpty()) {
                return path;
            }
            // npm installs the other package next to this one, or inside it.
            var modules = directory.get().resolve("../".repeat(name.getNameCount() - 1)).normalize();
            var launcher = program.launcher().get();
            return find(modules, launcher)
                    .or(() -> find(directory.get().resolve("node_modules"), launcher))
                    .orElse(path);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Returns the directory of the package that contains a program. */
    private static Optional<Path> npmPackage(Path program, Path name) {
        for (@Nullable Path directory = program.getParent();
                directory != null;
                directory = directory.getParent()) {
            if (directory.endsWith(name)) {
                return Optional.of(directory);
            }
        }
        return Optional.empty();
    }

    private static Optional<Path> find(Path modules, Launcher launcher) {
        return matches(modules, launcher.packages() + "/" + launcher.program()).stream()
                .filter(program -> Files.isRegularFile(program) && Files.isExecutable(program))
                .findFirst();
    }

    /** Returns the files that match a pattern of names, in alphabetical order. */
    private static List<Path> matches(Path directory, String pattern) {
        var found = List.of(directory);
        for (var name : pattern.split("/", -1)) {
            found = found.stream().flatMap(parent -> entries(parent, name).stream()).toList();
        }
        return found;
    }

    /** Sorts the entries: a longer name is a variant, such as {@code opencode-linux-x64-musl}. */
    private static List<Path> entries(Path directory, String pattern) {
        if (!Files.isDirectory(directory)) {
            return List.of();
        }
        var entries = new ArrayList<Path>();
        try (var stream = Files.newDirectoryStream(directory, pattern)) {
            stream.forEach(entries::add);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        Collections.sort(entries);
        return entries;
    }

    private NativeProgram() {}
}

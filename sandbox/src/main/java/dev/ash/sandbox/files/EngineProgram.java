package dev.ash.sandbox.files;

import dev.ash.protocol.ApiException;
import dev.ash.protocol.ErrorCode;
import dev.ash.protocol.engine.EngineProfile.Program;
import dev.ash.sandbox.launch.Mount;
import dev.ash.sandbox.launch.Spawner;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The program of an engine, on the host and inside sandboxes.
 *
 * @param variable the environment variable that passes its path to the bridge
 * @param host path on the host
 * @param inside path inside sandboxes
 */
public record EngineProgram(String variable, Path host, Path inside, List<Mount> mounts) {
    private static final String MODULES = "node_modules";

    /** The list that npm writes into a directory of packages, except in a global one. */
    private static final String INSTALLED_PACKAGES = ".package-lock.json";

    public EngineProgram {
        mounts = List.copyOf(mounts);
    }

    /**
     * Prepares a program. One below {@code /usr} is used in place; any other is linked or copied
     * below the data directory and mounted in sandboxes at the directory of its profile.
     */
    public static EngineProgram prepare(
            Path program, Program profile, DataLayout layout, Spawner spawner) throws IOException {
        if (!Files.isExecutable(program)) {
            throw new ApiException(
                    ErrorCode.VALIDATION_FAILED,
                    "%s is not executable; expected the program of an engine.".formatted(program));
        }
        var real = program.toRealPath();
        if (real.startsWith("/usr")) {
            return new EngineProgram(profile.variable(), real, real, List.of());
        }
        var modules = isScript(real) ? modules(real) : Optional.<Path>empty();
        if (modules.isPresent()) {
            return prepareModules(real, modules.get(), profile, layout, spawner);
        }
        var npmPackage = isScript(real) ? npmPackage(real) : Optional.<Path>empty();
        var relative =
                npmPackage.isPresent() ? npmPackage.get().relativize(real) : program.getFileName();
        var directory = layout.engines().resolve(new InputHash().addIdentity(real).hex());
        SharedDirectory.publish(
                directory,
                spawner,
                draft -> {
                    if (npmPackage.isPresent()) {
                        SharedDirectory.addTree(npmPackage.get(), draft, _ -> false);
                    } else {
                        SharedDirectory.addFile(real, draft.resolve(relative));
                    }
                });
        return in(directory, relative, profile);
    }

    /** Keeps the name of the directory, because Node searches packages in it. */
    private static EngineProgram prepareModules(
            Path script, Path modules, Program profile, DataLayout layout, Spawner spawner)
            throws IOException {
        var hash = new InputHash().add(MODULES).addIdentity(script).hex();
        var directory = layout.engines().resolve(hash);
        SharedDirectory.publish(
                directory,
                spawner,
                draft ->
                        SharedDirectory.addTree(
                                modules, draft.resolve(MODULES), EngineProgram::isHidden));
        return in(directory, Path.of(MODULES).resolve(modules.relativize(script)), profile);
    }

    private static EngineProgram in(Path directory, Path relative, Program profile) {
        var target = profile.sandboxDirectory();
        return new EngineProgram(
                profile.variable(),
                directory.resolve(relative),
                Path.of(target).resolve(relative),
                List.of(Mount.readOnly(directory, target)));
    }

    /** Returns the path for the bridge; {@code unconfined} if it runs without isolation. */
    public String path(boolean unconfined) {
        return (unconfined ? host : inside).toString();
    }

    /** Returns the directory of all packages that npm installed with that of a script. */
    private static Optional<Path> modules(Path script) {
        for (@Nullable Path directory = script.getParent();
                directory != null;
                directory = directory.getParent()) {
            if (directory.endsWith(MODULES)
                    && Files.isRegularFile(directory.resolve(INSTALLED_PACKAGES))) {
                return Optional.of(directory);
            }
        }
        return Optional.empty();
    }

    /** Excludes npm's own files, among them links to all programs. */
    private static boolean isHidden(Path relative) {
        return relative.startsWith(".bin") || relative.startsWith(INSTALLED_PACKAGES);
    }

    /** Returns the npm package of a script; one that is installed globally is self-contained. */
    private static Optional<Path> npmPackage(Path program) {
        for (@Nullable Path directory = program.getParent();
                directory != null && !directory.endsWith(MODULES);
                directory = directory.getParent()) {
            if (Files.isRegularFile(directory.resolve("package.json"))) {
                return Optional.of(directory);
            }
        }
        return Optional.empty();
    }

    private static boolean isScript(Path program) throws IOException {
        try (InputStream in = Files.newInputStream(program)) {
            return in.read() == '#' && in.read() == '!';
        }
    }
}

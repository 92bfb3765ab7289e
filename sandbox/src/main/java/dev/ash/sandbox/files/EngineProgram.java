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
 * The program of an engine, as sandboxes reach it.
 *
 * @param variable the environment variable in which a bridge finds its path
 * @param host where the host has it
 * @param inside where sandboxes have it
 */
public record EngineProgram(String variable, Path host, Path inside, List<Mount> mounts) {
    public EngineProgram {
        mounts = List.copyOf(mounts);
    }

    /**
     * Used where it lies below {@code /usr}; from elsewhere it is put below the data directory, and
     * mounted in sandboxes at the directory of its profile.
     */
    public static EngineProgram prepare(
            Path program, Program profile, DataLayout layout, Spawner spawner) throws IOException {
        if (!Files.isExecutable(program)) {
            throw new ApiException(
                    ErrorCode.VALIDATION_FAILED,
                    "%s is not a program that can be run; an engine's program was expected."
                            .formatted(program));
        }
        var real = program.toRealPath();
        if (real.startsWith("/usr")) {
            return new EngineProgram(profile.variable(), real, real, List.of());
        }
        var place = profile.sandboxDirectory();
        var folder = layout.engines().resolve(new Fingerprint().identity(real).hex());
        var npmPackage = npmPackage(real);
        var relative =
                npmPackage.isPresent() ? npmPackage.get().relativize(real) : program.getFileName();
        SharedFolder.publish(
                folder,
                spawner,
                draft -> {
                    if (npmPackage.isPresent()) {
                        SharedFolder.addTree(npmPackage.get(), draft, _ -> false);
                    } else {
                        SharedFolder.addFile(real, draft.resolve(relative));
                    }
                });
        return new EngineProgram(
                profile.variable(),
                folder.resolve(relative),
                Path.of(place).resolve(relative),
                List.of(Mount.readOnly(folder, place)));
    }

    /** Where a bridge finds it; {@code plain} if that runs without a wall. */
    public String path(boolean plain) {
        return (plain ? host : inside).toString();
    }

    /** A script comes with the files of its package; a native program is complete by itself. */
    private static Optional<Path> npmPackage(Path program) throws IOException {
        if (!isScript(program)) {
            return Optional.empty();
        }
        for (@Nullable Path folder = program.getParent();
                folder != null && !folder.endsWith("node_modules");
                folder = folder.getParent()) {
            if (Files.isRegularFile(folder.resolve("package.json"))) {
                return Optional.of(folder);
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

package dev.ash.server;

import dev.ash.protocol.json.JsonObject;
import dev.ash.protocol.json.RawJson;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Reads the version of a program from its npm package. The server does not run the program, which
 * can take seconds.
 */
final class PackageVersion {
    private static final int MAX_BYTES = 1024 * 1024;

    /** A package with a native program can have the platform in its version. */
    private static final Pattern PLATFORM = Pattern.compile("-(linux|darwin|win32)-.*");

    /** Returns the version, or an empty string if the program is not in a package. */
    static String of(Path program) {
        try {
            var real = program.toRealPath();
            for (@Nullable Path directory = real.getParent();
                    directory != null && !directory.endsWith("node_modules");
                    directory = directory.getParent()) {
                var manifest = directory.resolve("package.json");
                if (Files.isRegularFile(manifest) && Files.size(manifest) <= MAX_BYTES) {
                    return version(manifest);
                }
            }
        } catch (IOException e) {
            return ""; // a version is only shown
        }
        return "";
    }

    private static String version(Path manifest) throws IOException {
        var json = JsonObject.parse(new RawJson(Files.readAllBytes(manifest)));
        return PLATFORM.matcher(json.string("version").orElse("")).replaceFirst("");
    }

    private PackageVersion() {}
}

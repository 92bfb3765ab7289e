package dev.ash.server;

import dev.ash.protocol.ApiException;
import dev.ash.protocol.ErrorCode;
import java.io.IOException;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** Locates the programs of this installation: sibling directories of jars. */
final class Dist {
    /** Returns the class path of a program, always in the same order. */
    static List<Path> jars(String program) {
        var directory = root().resolve(program);
        try (var files = Files.list(directory)) {
            return files.filter(file -> file.toString().endsWith(".jar")).sorted().toList();
        } catch (IOException e) {
            throw new ApiException(
                    ErrorCode.INTERNAL,
                    "Program directory %s is missing; rebuild with ./ash or mvn package"
                            .formatted(directory),
                    e);
        }
    }

    private static Path root() {
        var configured = System.getProperty("ash.dist");
        if (configured != null) {
            return Path.of(configured).toAbsolutePath();
        }
        try {
            var source = ServerMain.class.getProtectionDomain().getCodeSource().getLocation();
            return Path.of(source.toURI()).resolve("../..").normalize(); // dist/server/….jar
        } catch (URISyntaxException e) {
            throw new IllegalStateException(e);
        }
    }

    private Dist() {}
}

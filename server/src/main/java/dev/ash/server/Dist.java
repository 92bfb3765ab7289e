package dev.ash.server;

import dev.ash.protocol.ApiException;
import dev.ash.protocol.ErrorCode;
import java.io.IOException;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** Where the programs of this installation lie: each is a folder of jars beside the others. */
final class Dist {
    /** The class path of a program, in the order that every start of it uses. */
    static List<Path> jars(String program) {
        var folder = root().resolve(program);
        try (var files = Files.list(folder)) {
            return files.filter(file -> file.toString().endsWith(".jar")).sorted().toList();
        } catch (IOException e) {
            throw new ApiException(
                    ErrorCode.INTERNAL,
                    "The program folder %s is missing; build again with ./ash or mvn package"
                            .formatted(folder),
                    e);
        }
    }

    private static Path root() {
        var named = System.getProperty("ash.dist");
        if (named != null) {
            return Path.of(named).toAbsolutePath();
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

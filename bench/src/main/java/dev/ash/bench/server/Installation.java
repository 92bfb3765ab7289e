package dev.ash.bench.server;

import java.io.File;
import java.io.IOException;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Collectors;

/** The measured programs: a clone with its {@code dist} directory. */
public record Installation(Path dist) {
    /** Finds the clone that contains this program. */
    public static Installation find() {
        var configured = System.getProperty("ash.dist");
        return new Installation(
                configured == null
                        ? codeSource().resolve("../..").normalize() // dist/bench/….jar
                        : Path.of(configured).toAbsolutePath().normalize());
    }

    /** Returns the jar or the directory of this program's classes. */
    public static Path codeSource() {
        try {
            var source = Installation.class.getProtectionDomain().getCodeSource().getLocation();
            return Path.of(source.toURI());
        } catch (URISyntaxException e) {
            throw new IllegalStateException(e);
        }
    }

    public Path root() {
        return dist.resolve("..").normalize();
    }

    public static Path java() {
        return Path.of(System.getProperty("java.home"), "bin", "java");
    }

    /** Returns the class path of a program, in the order that {@code ash} uses. */
    public String classPath(String program) throws IOException {
        try (var files = Files.list(dist.resolve(program))) {
            return files.map(Path::toString)
                    .filter(name -> name.endsWith(".jar"))
                    .sorted()
                    .collect(Collectors.joining(File.pathSeparator));
        }
    }
}

package dev.ash.cli.server;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * The AOT cache of the server, created by {@link ServerTraining}: classes that are loaded and
 * linked already, and profiles from which the JVM compiles methods early. A JVM ignores a cache of
 * other jars, another JDK or an unknown format.
 */
record ServerCache(Optional<Path> file) {
    static final ServerCache NONE = new ServerCache(Optional.empty());
    static final String FILE = "server.aot";

    // Exit codes of a process that was ended by SIGILL, SIGABRT, SIGBUS or SIGSEGV.
    private static final Set<Integer> CRASHES = Set.of(132, 134, 135, 139);

    // The JVM reports each class that it cannot archive, and a cache that it does not use.
    private static final String QUIET = "-Xlog:aot*=off,cds*=off";

    /** Finds the cache in the launcher's directory for this build and this JDK, if it has one. */
    static ServerCache find() {
        return new ServerCache(
                Optional.ofNullable(System.getProperty("ash.aot"))
                        .map(directory -> Path.of(directory, FILE))
                        .filter(Files::isReadable));
    }

    /**
     * Maps the cache at its recorded address: at another one, the JVM adjusts pointers on all of
     * its pages, and these become private memory.
     */
    List<String> flags() {
        return file.map(
                        path ->
                                List.of(
                                        "-XX:AOTCache=" + path,
                                        "-XX:+UnlockDiagnosticVMOptions",
                                        "-XX:ArchiveRelocationMode=0",
                                        QUIET))
                .orElse(List.of());
    }

    static List<String> recordingFlags(Path output) {
        return List.of("-XX:AOTCacheOutput=" + output, QUIET);
    }

    /**
     * Removes the cache if the exit code is that of a crash, and returns whether it is: the JVM
     * checks only the header of a cache, so a damaged one can crash it.
     */
    boolean discardAfter(int exitCode) {
        if (file.isEmpty() || !CRASHES.contains(exitCode)) {
            return false;
        }
        try {
            Files.deleteIfExists(file.get());
        } catch (IOException e) {
            // not the owner; the caller starts the server without it
        }
        return true;
    }
}

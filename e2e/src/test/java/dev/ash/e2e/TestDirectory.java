package dev.ash.e2e;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.Map;

/**
 * Temporary directory that other uids may traverse, unlike JUnit's own temporary directories: the
 * sandboxes of a root server have separate uids.
 */
public record TestDirectory(Path path) implements AutoCloseable {
    public static TestDirectory create() {
        try {
            // Short, because socket paths are limited to 107 bytes.
            var path = Files.createTempDirectory(Path.of("/tmp"), "ash-e2e-");
            Files.setPosixFilePermissions(path, PosixFilePermissions.fromString("rwx--x--x"));
            return new TestDirectory(path);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    public Path data() {
        return path.resolve("data");
    }

    /** Writes files to a subdirectory and returns it, for example an agent to deploy by path. */
    public Path write(String name, Map<String, String> files) {
        var directory = path.resolve(name);
        try {
            for (var file : files.entrySet()) {
                var target = directory.resolve(file.getKey());
                Files.createDirectories(target.getParent());
                Files.writeString(target, file.getValue());
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return directory;
    }

    /** Writes a program to a directory of its own and returns its path. */
    public Path program(String name, String text) {
        var program = write("bin-" + name, Map.of(name, text)).resolve(name);
        try {
            return Files.setPosixFilePermissions(
                    program, PosixFilePermissions.fromString("rwxr-xr-x"));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public void close() {
        if (System.getenv("ASH_E2E_KEEP") == null) {
            // A process that was just killed may still create files.
            await().atMost(Duration.ofMinutes(1)).ignoreExceptions().until(this::delete);
            // Detects leaked loop devices before they run out.
            assertThat(Mounts.below(path)).as("remaining mounts").isEmpty();
        }
    }

    private boolean delete() throws IOException {
        if (!Files.exists(path)) {
            return true;
        }
        Mounts.detachBelow(path); // a killed server leaves the mounts of its sandboxes
        Files.walkFileTree(
                path,
                new SimpleFileVisitor<>() {
                    @Override
                    public FileVisitResult visitFile(Path file, BasicFileAttributes attributes)
                            throws IOException {
                        Files.delete(file);
                        return FileVisitResult.CONTINUE;
                    }

                    @Override
                    public FileVisitResult postVisitDirectory(Path directory, IOException failure)
                            throws IOException {
                        Files.delete(directory);
                        return FileVisitResult.CONTINUE;
                    }
                });
        return true;
    }
}

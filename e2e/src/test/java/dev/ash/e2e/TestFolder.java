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
 * A folder that other uids may pass through, which JUnit's own temporary folders do not allow: the
 * sandboxes of a root server have uids of their own.
 */
public record TestFolder(Path path) implements AutoCloseable {
    public static TestFolder create() {
        try {
            // Short, because a socket's path below it must stay within 107 bytes.
            var path = Files.createTempDirectory(Path.of("/tmp"), "ash-e2e-");
            Files.setPosixFilePermissions(path, PosixFilePermissions.fromString("rwx--x--x"));
            return new TestFolder(path);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    public Path data() {
        return path.resolve("data");
    }

    /** A folder with these files, such as an agent to deploy by path. */
    public Path write(String name, Map<String, String> files) {
        var folder = path.resolve(name);
        try {
            for (var file : files.entrySet()) {
                var target = folder.resolve(file.getKey());
                Files.createDirectories(target.getParent());
                Files.writeString(target, file.getValue());
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return folder;
    }

    @Override
    public void close() {
        if (System.getenv("ASH_E2E_KEEP") == null) {
            // A process that was killed a moment ago may still be creating files.
            await().atMost(Duration.ofMinutes(1)).ignoreExceptions().until(this::deleted);
            // So that a leak of loop devices is not noticed only when there are no more of them.
            assertThat(Mounts.below(path)).as("mounts that were left").isEmpty();
        }
    }

    private boolean deleted() throws IOException {
        if (!Files.exists(path)) {
            return true;
        }
        Mounts.detachBelow(path); // a server that was killed has left those of its sandboxes
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
                    public FileVisitResult postVisitDirectory(Path folder, IOException failure)
                            throws IOException {
                        Files.delete(folder);
                        return FileVisitResult.CONTINUE;
                    }
                });
        return true;
    }
}

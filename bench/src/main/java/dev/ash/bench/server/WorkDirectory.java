package dev.ash.bench.server;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Comparator;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * The directory of one run below {@code /tmp}: data directories, the home directory of commands and
 * their caches. Its path is short, because socket paths are limited, and the uids of sandboxes can
 * traverse it.
 */
public final class WorkDirectory implements AutoCloseable {
    private final Path path;
    private final AtomicInteger next = new AtomicInteger();

    private WorkDirectory(Path path) {
        this.path = path;
    }

    public static WorkDirectory create() throws IOException {
        var path =
                Files.createTempDirectory(
                        Path.of("/tmp"), "ash-bench-" + ProcessHandle.current().pid() + "-");
        Files.setPosixFilePermissions(path, PosixFilePermissions.fromString("rwx--x--x"));
        Files.createDirectories(path.resolve("home"));
        return new WorkDirectory(path);
    }

    public Path home() {
        return path.resolve("home");
    }

    /** Returns the directory of AOT caches of commands and servers. */
    public Path cache() {
        return path.resolve("cache");
    }

    /** Creates a new directory that the uids of sandboxes can traverse. */
    public Path directory(String name) throws IOException {
        var directory = path.resolve(name + next.incrementAndGet());
        Files.createDirectory(directory);
        return Files.setPosixFilePermissions(
                directory, PosixFilePermissions.fromString("rwx--x--x"));
    }

    /** Deletes a tree, also while a process that is being terminated still removes files of it. */
    public static void delete(Path tree) throws IOException {
        if (!Files.exists(tree)) {
            return;
        }
        try (var files = Files.walk(tree)) {
            for (var file : files.sorted(Comparator.reverseOrder()).toList()) {
                Files.deleteIfExists(file);
            }
        } catch (UncheckedIOException e) {
            if (!(e.getCause() instanceof NoSuchFileException)) {
                throw e;
            }
            delete(tree);
        }
    }

    @Override
    public void close() throws IOException {
        ProcessHandle.allProcesses().filter(this::isInside).forEach(ProcessHandle::destroyForcibly);
        unmount();
        delete(path);
    }

    /** Unmounts the disk images of sandboxes that a killed server has left behind. */
    private void unmount() throws IOException {
        for (var line : Files.readAllLines(Path.of("/proc/mounts"))) {
            var target = Path.of(line.split(" ", -1)[1]);
            if (target.startsWith(path)) {
                new ProcessBuilder("umount", "-l", target.toString()).start().onExit().join();
            }
        }
    }

    /** Returns whether a process works in this directory: one that this run has started. */
    private boolean isInside(ProcessHandle process) {
        try {
            return Files.readSymbolicLink(Path.of("/proc/" + process.pid() + "/cwd"))
                    .startsWith(path);
        } catch (IOException e) {
            return false; // it has exited, or belongs to another user
        }
    }
}

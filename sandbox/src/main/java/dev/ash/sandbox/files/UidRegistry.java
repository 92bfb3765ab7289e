package dev.ash.sandbox.files;

import dev.ash.protocol.ApiException;
import dev.ash.protocol.ErrorCode;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Assigns host uids to sandbox directories. The registry is machine-wide, because servers with
 * different data directories must not share a uid: a directory with one file per claimed uid, which
 * contains the path of the sandbox directory. A file lock serializes claims.
 */
public final class UidRegistry {
    public static final Path MACHINE_WIDE = Path.of("/var/lib/ash-uids");

    // A file lock excludes other processes only; this excludes other threads. Static, because all
    // registries of a process share the file.
    private static final ReentrantLock THREADS = new ReentrantLock();

    private final Path directory;
    private final UidRange range;

    public UidRegistry(Path directory, UidRange range) throws IOException {
        this.directory = FileModes.createDirectory(directory, FileModes.OWNER_ONLY);
        this.range = range;
    }

    /** Claims a uid for the directory; returns the same one again if it has one. */
    int claim(Path sandboxDirectory) throws IOException {
        return withLock(
                () -> {
                    var uid = search(sandboxDirectory);
                    write(
                            uid.orElseThrow(
                                    () ->
                                            new ApiException(
                                                    ErrorCode.CAPACITY_REACHED,
                                                    "All %d user ids for sandboxes are in use: each session keeps one until it ends. End sessions that are no longer needed (ash session end ID)."
                                                            .formatted(range.count()))),
                            sandboxDirectory);
                    return uid.getAsInt();
                });
    }

    boolean holds(Path sandboxDirectory, int uid) throws IOException {
        return range.contains(uid) && holder(uid).equals(Optional.of(sandboxDirectory));
    }

    void release(Path sandboxDirectory, int uid) throws IOException {
        withLock(
                () -> {
                    if (holds(sandboxDirectory, uid)) {
                        Files.deleteIfExists(file(uid));
                    }
                    return uid;
                });
    }

    private interface Work {
        int run() throws IOException;
    }

    /**
     * Finds a uid; starts at an index derived from the name, so that a freed uid is not reused
     * next.
     */
    private OptionalInt search(Path sandboxDirectory) throws IOException {
        int start = sandboxDirectory.hashCode();
        for (int i = 0; i < range.count(); i++) {
            int uid = range.at(start + i);
            var holder = holder(uid);
            // A missing directory was deleted manually. If its disk is only detached, it gets
            // another uid when the disk is back, because another sandbox then has its claim.
            if (holder.isEmpty()
                    || holder.get().equals(sandboxDirectory)
                    || Files.notExists(holder.get())) {
                return OptionalInt.of(uid);
            }
        }
        return OptionalInt.empty();
    }

    private Optional<Path> holder(int uid) throws IOException {
        try {
            return Optional.of(Path.of(Files.readString(file(uid)).strip()));
        } catch (NoSuchFileException e) {
            return Optional.empty();
        }
    }

    private void write(int uid, Path sandboxDirectory) throws IOException {
        var draft = directory.resolve(".draft"); // exclusive under the lock
        Files.writeString(draft, sandboxDirectory + "\n");
        Files.move(draft, file(uid), StandardCopyOption.ATOMIC_MOVE);
    }

    private Path file(int uid) {
        return directory.resolve(Integer.toString(uid));
    }

    private int withLock(Work work) throws IOException {
        THREADS.lock();
        try (var channel =
                        FileChannel.open(
                                directory.resolve(".lock"),
                                StandardOpenOption.CREATE,
                                StandardOpenOption.WRITE);
                var _ = channel.lock()) {
            return work.run();
        } finally {
            THREADS.unlock();
        }
    }
}

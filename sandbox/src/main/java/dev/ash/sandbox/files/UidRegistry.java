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
 * Which sandbox folder holds which user of the host. One folder for the whole machine, since two
 * servers with data directories of their own must not share a user: a file per claimed uid, whose
 * text is the path of the sandbox folder. Claims are serialised by a lock on a file.
 */
public final class UidRegistry {
    public static final Path MACHINE_WIDE = Path.of("/var/lib/ash-uids");

    // A file lock excludes other processes only; this excludes other threads. Static, because the
    // file is one for the machine, however many registries a process has.
    private static final ReentrantLock THREADS = new ReentrantLock();

    private final Path folder;
    private final UidRange range;

    public UidRegistry(Path folder, UidRange range) throws IOException {
        this.folder = Modes.folder(folder, Modes.OWNER_ONLY);
        this.range = range;
    }

    /** Gives the folder a user of its own, the same one again if it has one already. */
    int claim(Path sandboxFolder) throws IOException {
        return locked(
                () -> {
                    var uid = search(sandboxFolder);
                    write(
                            uid.orElseThrow(
                                    () ->
                                            new ApiException(
                                                    ErrorCode.CAPACITY_REACHED,
                                                    "All %d user ids for sandboxes are in use: each session keeps one until it ends. End sessions that are no longer needed (ash session end ID)."
                                                            .formatted(range.count()))),
                            sandboxFolder);
                    return uid.getAsInt();
                });
    }

    boolean holds(Path sandboxFolder, int uid) throws IOException {
        return range.contains(uid) && holder(uid).equals(Optional.of(sandboxFolder));
    }

    void release(Path sandboxFolder, int uid) throws IOException {
        locked(
                () -> {
                    if (holds(sandboxFolder, uid)) {
                        Files.deleteIfExists(file(uid));
                    }
                    return uid;
                });
    }

    private interface Work {
        int run() throws IOException;
    }

    /**
     * Begins at a place that depends on the name, so that a freed uid is not the next one given.
     */
    private OptionalInt search(Path sandboxFolder) throws IOException {
        int start = sandboxFolder.hashCode();
        for (int i = 0; i < range.count(); i++) {
            int uid = range.at(start + i);
            var holder = holder(uid);
            // A folder that is gone was deleted by hand. Should it have been on a disk that is only
            // away, it will get another user when it is back, for its claim is then another's.
            if (holder.isEmpty()
                    || holder.get().equals(sandboxFolder)
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

    private void write(int uid, Path sandboxFolder) throws IOException {
        var draft = folder.resolve(".draft"); // no two at once, for the lock is held
        Files.writeString(draft, sandboxFolder + "\n");
        Files.move(draft, file(uid), StandardCopyOption.ATOMIC_MOVE);
    }

    private Path file(int uid) {
        return folder.resolve(Integer.toString(uid));
    }

    private int locked(Work work) throws IOException {
        THREADS.lock();
        try (var channel =
                        FileChannel.open(
                                folder.resolve(".lock"),
                                StandardOpenOption.CREATE,
                                StandardOpenOption.WRITE);
                var _ = channel.lock()) {
            return work.run();
        } finally {
            THREADS.unlock();
        }
    }
}

package dev.ash.sandbox.disk;

import java.io.IOException;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Images that belong to no sandbox: prepared for the next one, or of a deleted one. Created and
 * deleted in the background, as both block on the disk.
 */
final class SpareImages {
    private static final Logger LOG = System.getLogger(SpareImages.class.getName());
    private static final Duration TIMEOUT = Duration.ofMinutes(1);
    private static final int MAX_READY = 4;

    private final Path directory;
    private final MountTools tools;
    private final Map<Integer, Spare> ready = new ConcurrentHashMap<>();
    private final Set<Thread> background = ConcurrentHashMap.newKeySet();
    private volatile boolean closed;

    /** An image and its mount point next to it. */
    record Spare(Path image, Path mountPoint) {}

    SpareImages(Path directory, MountTools tools) {
        this.directory = directory;
        this.tools = tools;
    }

    /**
     * Returns an empty, mounted file system of this capacity, and prepares the next one in the
     * background.
     */
    Spare take(int diskMb) throws IOException {
        var spare = ready.remove(diskMb);
        var taken = spare != null && Files.exists(spare.image) ? spare : prepare(diskMb);
        inBackground(() -> prepareNext(diskMb));
        return taken;
    }

    /** Returns unused names for an image and its mount point. */
    Spare newNames() {
        var id = UUID.randomUUID().toString();
        return new Spare(directory.resolve(id + ".new"), directory.resolve(id));
    }

    Spare prepare(int diskMb) throws IOException {
        var spare = newNames();
        boolean done = false;
        try {
            Files.createDirectory(spare.mountPoint);
            tools.format(diskMb, spare.image);
            tools.mountNew(spare.image, spare.mountPoint);
            done = true;
            return spare;
        } finally {
            if (!done) {
                discard(spare);
            }
        }
    }

    private void prepareNext(int diskMb) throws IOException {
        if (ready.size() < MAX_READY && !ready.containsKey(diskMb)) {
            var spare = prepare(diskMb);
            if (ready.putIfAbsent(diskMb, spare) != null) {
                discard(spare);
            }
        }
    }

    void discardLater(Spare spare) {
        inBackground(() -> discard(spare));
    }

    void discard(Spare spare) throws IOException {
        tools.forceUnmount(spare.mountPoint);
        Files.deleteIfExists(spare.image);
        Files.deleteIfExists(spare.mountPoint);
    }

    private interface Work {
        void run() throws IOException;
    }

    /** Runs work unless closed: the rest is deleted on close or by the next server. */
    private void inBackground(Work work) {
        if (closed) {
            return;
        }
        var thread = Thread.ofVirtual().name("disk-images").unstarted(() -> tryTo(work));
        background.add(thread);
        thread.start();
    }

    private void tryTo(Work work) {
        try {
            work.run();
        } catch (IOException e) {
            LOG.log(
                    Level.WARNING,
                    "Cannot create or delete a spare disk image: {0}",
                    e.getMessage());
        } finally {
            background.remove(Thread.currentThread());
        }
    }

    /** Deletes all spare images, including those that an earlier server left. */
    void deleteAll() throws IOException {
        for (var mountPoint : MountTable.in(directory)) {
            tools.forceUnmount(mountPoint);
        }
        try (DirectoryStream<Path> files = Files.newDirectoryStream(directory)) {
            for (var file : files) {
                if (!file.toString().endsWith(ImageDisks.SUFFIX)) {
                    Files.deleteIfExists(file); // an image, or an empty mount point
                }
            }
        }
    }

    void close() throws IOException, InterruptedException {
        closed = true;
        for (var thread : background) {
            thread.join(TIMEOUT);
        }
        deleteAll();
    }
}

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
 * Images that belong to no sandbox: ready for the next one, or of one that was deleted. They are
 * made and deleted in the background, since both wait for the disk.
 */
final class SpareImages {
    private static final Logger LOG = System.getLogger(SpareImages.class.getName());
    private static final Duration PATIENCE = Duration.ofMinutes(1);
    private static final int MAX_READY = 4;

    private final Path folder;
    private final MountTools tools;
    private final Map<Integer, Spare> ready = new ConcurrentHashMap<>();
    private final Set<Thread> background = ConcurrentHashMap.newKeySet();
    private volatile boolean closed;

    /** An image, and the folder beside it where it is mounted. */
    record Spare(Path image, Path place) {}

    SpareImages(Path folder, MountTools tools) {
        this.folder = folder;
        this.tools = tools;
    }

    /** An empty file system whose users can store so much; the next one is prepared meanwhile. */
    Spare take(int diskMb) throws IOException {
        var spare = ready.remove(diskMb);
        var taken = spare != null && Files.exists(spare.image) ? spare : prepare(diskMb);
        inBackground(() -> prepareNext(diskMb));
        return taken;
    }

    /** Names that nothing has. */
    Spare named() {
        var id = UUID.randomUUID().toString();
        return new Spare(folder.resolve(id + ".new"), folder.resolve(id));
    }

    Spare prepare(int diskMb) throws IOException {
        var spare = named();
        boolean done = false;
        try {
            Files.createDirectory(spare.place);
            tools.format(diskMb, spare.image);
            tools.mountNew(spare.image, spare.place);
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
        tools.unmountForGood(spare.place);
        Files.deleteIfExists(spare.image);
        Files.deleteIfExists(spare.place);
    }

    private interface Work {
        void run() throws IOException;
    }

    /** Once closed, nothing: what is left is deleted then, or by the next server. */
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
                    "A spare disk image could not be made or deleted: {0}",
                    e.getMessage());
        } finally {
            background.remove(Thread.currentThread());
        }
    }

    /** Also those that an earlier server has left. */
    void deleteAll() throws IOException {
        for (var place : MountTable.in(folder)) {
            tools.unmountForGood(place);
        }
        try (DirectoryStream<Path> files = Files.newDirectoryStream(folder)) {
            for (var file : files) {
                if (!file.toString().endsWith(ImageDisks.SUFFIX)) {
                    Files.deleteIfExists(file); // an image, or the empty folder of one
                }
            }
        }
    }

    void close() throws IOException, InterruptedException {
        closed = true;
        for (var thread : background) {
            thread.join(PATIENCE);
        }
        deleteAll();
    }
}

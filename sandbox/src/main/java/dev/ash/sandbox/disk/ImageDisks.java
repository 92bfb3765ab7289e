package dev.ash.sandbox.disk;

import dev.ash.protocol.ApiException;
import dev.ash.protocol.ErrorCode;
import dev.ash.sandbox.disk.DiskSettings.Mode;
import dev.ash.sandbox.launch.Spawner;
import java.io.IOException;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.Map;
import java.util.NoSuchElementException;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Manages one file system of limited size for each sandbox: a sparse image file, mounted at the
 * sandbox's directory. An image stays mounted while the sandbox runs and for some time after its
 * files were last used, at most until the server stops. The kernel's mount table is authoritative,
 * because mounts outlive a killed server.
 *
 * <p>All operations ignore sandboxes without an image, which are ordinary directories.
 */
public final class ImageDisks implements AutoCloseable {
    private static final Logger LOG = System.getLogger(ImageDisks.class.getName());
    private static final Duration POLL_INTERVAL = Duration.ofSeconds(30);
    private static final Duration IDLE_TIMEOUT = Duration.ofMinutes(5);
    static final String SUFFIX = ".img";
    private static final int PROBE_MB = 1;

    private final Path directory;
    private final Path mountRoot;
    private final MountTools tools;
    private final Optional<String> missing;
    private final boolean usedForNew;
    private final Map<Path, ReentrantLock> locks = new ConcurrentHashMap<>();
    private final Set<Path> retained = ConcurrentHashMap.newKeySet();
    private final Map<Path, Long> idleSince = new ConcurrentHashMap<>();
    private final SpareImages spares;
    private final CountDownLatch closed = new CountDownLatch(1);

    private ImageDisks(Path directory, Path mountRoot, MountTools tools, Mode mode) {
        this.directory = directory;
        this.mountRoot = mountRoot;
        this.tools = tools;
        this.spares = new SpareImages(directory, tools);
        this.missing = mode == Mode.WATCH ? Optional.of("images are disabled") : probe();
        this.usedForNew = missing.isEmpty();
    }

    /**
     * Opens the disks, and probes whether images can be mounted.
     *
     * @param directory directory of the images
     * @param mountRoot parent of the sandboxes' directories
     * @param path PATH to search for programs
     */
    public static ImageDisks open(
            Mode mode, Path directory, Path mountRoot, Spawner spawner, String path)
            throws IOException {
        Files.createDirectories(directory);
        Files.setPosixFilePermissions(directory, PosixFilePermissions.fromString("rwx------"));
        var tools = new MountTools(spawner, path, directory);
        var disks = new ImageDisks(directory, mountRoot, tools, mode);
        if (mode == Mode.IMAGE && disks.missing.isPresent()) {
            throw new ApiException(
                    ErrorCode.SANDBOX_FAILED,
                    ("ASH_DISK_LIMITS is image, but this host cannot mount images: %s. Images need"
                                    + " root, loop devices, mkfs.ext4 and mount. Set ASH_DISK_LIMITS to"
                                    + " auto or watch to limit disk space by measuring it.")
                            .formatted(disks.missing.get()));
        }
        disks.recoverMounts();
        Thread.ofVirtual().name("disk-unmount").start(disks::unmountIdle);
        return disks;
    }

    /** Whether new sandboxes get an image. */
    public boolean isUsedForNew() {
        return usedForNew;
    }

    public boolean hasImage(Path mountPoint) {
        return Files.exists(image(mountPoint), LinkOption.NOFOLLOW_LINKS);
    }

    /** Creates an image and mounts it at this directory. */
    public void create(Path mountPoint, int diskMb) throws IOException {
        withLock(
                mountPoint,
                () -> {
                    Files.createDirectories(mountPoint);
                    var spare = spares.take(diskMb);
                    Files.move(spare.image(), image(mountPoint), StandardCopyOption.ATOMIC_MOVE);
                    tools.move(spare.mountPoint(), mountPoint);
                    Files.delete(spare.mountPoint());
                });
    }

    /** Creates and mounts an image of the same size as another sandbox's. */
    public void createLike(Path other, Path mountPoint) throws IOException {
        create(mountPoint, ImageSize.limitOf(Files.size(image(other))));
    }

    /** Mounts the image, if there is one, until it has been idle for some time. */
    public void mountTemporarily(Path mountPoint) throws IOException {
        if (hasImage(mountPoint)) {
            withLock(
                    mountPoint,
                    () -> {
                        mount(mountPoint);
                        if (!retained.contains(mountPoint)) {
                            idleSince.put(mountPoint, System.nanoTime());
                        }
                    });
        }
    }

    /**
     * Mounts the image until {@link #release}, for a sandbox that does not run yet. The file system
     * may be read-only after the host's disk was full; remounting it repairs that.
     */
    public void retainWritable(Path mountPoint) throws IOException {
        retain(mountPoint);
        if (hasImage(mountPoint) && !isWritable(mountPoint)) {
            withLock(
                    mountPoint,
                    () -> {
                        tools.forceUnmount(mountPoint);
                        mount(mountPoint);
                    });
        }
    }

    private static boolean isWritable(Path mountPoint) {
        var file = mountPoint.resolve(".writable");
        try {
            Files.deleteIfExists(file);
            Files.createFile(file);
            Files.delete(file);
            return true;
        } catch (IOException e) {
            return false;
        }
    }

    /** Mounts the image until {@link #release}, without checking that it is writable. */
    public void retain(Path mountPoint) throws IOException {
        if (hasImage(mountPoint)) {
            withLock(
                    mountPoint,
                    () -> {
                        mount(mountPoint);
                        retained.add(mountPoint);
                        idleSince.remove(mountPoint);
                    });
        }
    }

    public void release(Path mountPoint) {
        if (retained.remove(mountPoint)) {
            idleSince.put(mountPoint, System.nanoTime());
        }
    }

    /** Whether an image is mounted at this directory. */
    public boolean isMounted(Path mountPoint) {
        try {
            return hasImage(mountPoint) && MountTable.isMounted(mountPoint);
        } catch (IOException e) {
            return false; // deleted concurrently
        }
    }

    /** Deletes the image with its content; the directory stays, empty. */
    public void delete(Path mountPoint) throws IOException {
        if (!hasImage(mountPoint) && !MountTable.isMounted(mountPoint)) {
            return;
        }
        withLock(
                mountPoint,
                () -> {
                    var trash = spares.newNames();
                    if (MountTable.isMounted(mountPoint)) {
                        Files.createDirectory(trash.mountPoint());
                        tools.move(mountPoint, trash.mountPoint());
                    }
                    if (hasImage(mountPoint)) {
                        Files.move(
                                image(mountPoint), trash.image(), StandardCopyOption.ATOMIC_MOVE);
                    }
                    retained.remove(mountPoint);
                    idleSince.remove(mountPoint);
                    spares.discardLater(trash);
                });
        locks.remove(mountPoint);
    }

    private Optional<String> probe() {
        try {
            var probe = spares.prepare(PROBE_MB);
            try {
                Files.writeString(probe.mountPoint().resolve("probe"), "probe");
                return MountTable.isMounted(probe.mountPoint())
                        ? Optional.empty()
                        : Optional.of("a mounted image is not visible");
            } finally {
                spares.discard(probe);
            }
        } catch (IOException e) {
            return Optional.of(String.valueOf(e.getMessage()));
        } catch (LinkageError | NoSuchElementException e) {
            return Optional.of("the system calls for loop devices are missing"); // not Linux
        }
    }

    /** Cleans up after an earlier server: spare images, stale mounts, missing directories. */
    private void recoverMounts() throws IOException {
        spares.deleteAll();
        try (DirectoryStream<Path> files = Files.newDirectoryStream(directory, "*" + SUFFIX)) {
            for (var file : files) {
                var name = file.getFileName().toString();
                Files.createDirectories(
                        mountRoot.resolve(name.substring(0, name.length() - SUFFIX.length())));
            }
        }
        for (var mountPoint : MountTable.in(mountRoot)) {
            if (hasImage(mountPoint)) {
                idleSince.put(mountPoint, System.nanoTime());
            } else {
                tools.forceUnmount(mountPoint);
            }
        }
    }

    private interface Work {
        void run() throws IOException;
    }

    private void withLock(Path mountPoint, Work work) throws IOException {
        var lock = locks.computeIfAbsent(mountPoint, _ -> new ReentrantLock());
        lock.lock();
        try {
            work.run();
        } finally {
            lock.unlock();
        }
    }

    private void mount(Path mountPoint) throws IOException {
        if (MountTable.isMounted(mountPoint)) {
            return;
        }
        if (closed.getCount() == 0) {
            throw new IOException("the server is shutting down and mounts no disks");
        }
        try {
            Files.createDirectories(mountPoint);
            tools.mount(image(mountPoint), mountPoint);
        } catch (IOException e) {
            var image = image(mountPoint);
            throw new IOException(
                    "cannot mount the disk image " + image + ": " + e.getMessage(), e);
        }
    }

    private void unmountIdle() {
        try {
            while (!closed.await(POLL_INTERVAL.toMillis(), TimeUnit.MILLISECONDS)) {
                unmountIdle(System.nanoTime() - IDLE_TIMEOUT.toNanos());
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt(); // this thread is never interrupted
        }
    }

    /** Unmounts images that were last used before this {@link System#nanoTime}. */
    void unmountIdle(long time) {
        idleSince.forEach(
                (mountPoint, since) -> {
                    if (since - time < 0) {
                        unmountIdle(mountPoint, since);
                    }
                });
    }

    /** Unmounts an image; fails, and is retried later, while a file in it is open. */
    private void unmountIdle(Path mountPoint, Long since) {
        try {
            withLock(
                    mountPoint,
                    () -> {
                        if (idleSince.remove(mountPoint, since)
                                && MountTable.isMounted(mountPoint)) {
                            idleSince.put(mountPoint, System.nanoTime()); // if it fails: retry
                            tools.unmount(mountPoint);
                            idleSince.remove(mountPoint);
                        }
                    });
        } catch (IOException e) {
            LOG.log(Level.DEBUG, "Cannot unmount {0}: {1}", mountPoint, e.getMessage());
        }
    }

    private Path image(Path mountPoint) {
        return directory.resolve(mountPoint.getFileName() + SUFFIX);
    }

    /** Unmounts all images, so that the data directory can be moved, copied or deleted. */
    @Override
    public void close() {
        closed.countDown();
        try {
            var threads = MountTable.in(mountRoot).stream().map(this::startUnmount).toList();
            for (var thread : threads) {
                thread.join();
            }
            spares.close();
        } catch (IOException e) {
            LOG.log(Level.WARNING, "Cannot unmount the disk images: {0}", e.getMessage());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } finally {
            tools.close();
        }
    }

    private Thread startUnmount(Path mountPoint) {
        return Thread.ofVirtual().start(() -> tryToUnmount(mountPoint));
    }

    private void tryToUnmount(Path mountPoint) {
        try {
            withLock(mountPoint, () -> tools.forceUnmount(mountPoint));
        } catch (IOException e) {
            LOG.log(Level.WARNING, "Cannot unmount {0}: {1}", mountPoint, e.getMessage());
        }
    }
}

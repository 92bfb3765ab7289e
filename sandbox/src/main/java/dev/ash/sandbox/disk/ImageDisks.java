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
 * File systems of limited size, one for each sandbox: a sparse image file, mounted at the folder of
 * the sandbox. Mounted while the sandbox runs and for some time after its files were last used;
 * unmounted when the server stops. What is mounted is what the kernel says, since mounts outlive a
 * server that was killed.
 *
 * <p>A sandbox without an image is a plain folder, and everything here leaves it alone.
 */
public final class ImageDisks implements AutoCloseable {
    private static final Logger LOG = System.getLogger(ImageDisks.class.getName());
    private static final Duration ROUND = Duration.ofSeconds(30);
    private static final Duration LINGER = Duration.ofMinutes(5);
    static final String SUFFIX = ".img";
    private static final int PROBE_MB = 1;

    private final Path folder;
    private final Path places;
    private final MountTools tools;
    private final Optional<String> missing;
    private final boolean usedForNew;
    private final Map<Path, ReentrantLock> locks = new ConcurrentHashMap<>();
    private final Set<Path> held = ConcurrentHashMap.newKeySet();
    private final Map<Path, Long> idle = new ConcurrentHashMap<>();
    private final SpareImages spares;
    private final CountDownLatch closed = new CountDownLatch(1);

    private ImageDisks(Path folder, Path places, MountTools tools, Mode mode) {
        this.folder = folder;
        this.places = places;
        this.tools = tools;
        this.spares = new SpareImages(folder, tools);
        this.missing = mode == Mode.WATCH ? Optional.of("images are switched off") : probe();
        this.usedForNew = missing.isEmpty();
    }

    /**
     * Finds out by doing it whether images can be mounted here.
     *
     * @param folder for the images
     * @param places the folder in which the folders of sandboxes are
     * @param path where to look for programs
     */
    public static ImageDisks open(Mode mode, Path folder, Path places, Spawner spawner, String path)
            throws IOException {
        Files.createDirectories(folder);
        Files.setPosixFilePermissions(folder, PosixFilePermissions.fromString("rwx------"));
        var disks = new ImageDisks(folder, places, new MountTools(spawner, path, folder), mode);
        if (mode == Mode.IMAGE && disks.missing.isPresent()) {
            throw new ApiException(
                    ErrorCode.SANDBOX_FAILED,
                    ("ASH_DISK_LIMITS is image, but no image can be mounted on this host: %s. Images"
                                    + " need root, loop devices, mkfs.ext4 and mount. Set"
                                    + " ASH_DISK_LIMITS to auto or watch to limit disk space by"
                                    + " measuring it.")
                            .formatted(disks.missing.get()));
        }
        disks.takeOver();
        Thread.ofVirtual().name("disk-unmount").start(disks::unmountIdle);
        return disks;
    }

    /** Whether new sandboxes get an image. */
    public boolean usedForNew() {
        return usedForNew;
    }

    public boolean hasImage(Path place) {
        return Files.exists(image(place), LinkOption.NOFOLLOW_LINKS);
    }

    /** Makes an image and mounts it at this folder. */
    public void create(Path place, int diskMb) throws IOException {
        locked(
                place,
                () -> {
                    Files.createDirectories(place);
                    var spare = spares.take(diskMb);
                    Files.move(spare.image(), image(place), StandardCopyOption.ATOMIC_MOVE);
                    tools.move(spare.place(), place);
                    Files.delete(spare.place());
                });
    }

    /** The same, of the size of another's image. */
    public void createLike(Path other, Path place) throws IOException {
        create(place, ImageSize.limitOf(Files.size(image(other))));
    }

    /** Mounts the image for some time, if there is one and it is not mounted. */
    public void use(Path place) throws IOException {
        if (hasImage(place)) {
            locked(
                    place,
                    () -> {
                        mount(place);
                        if (!held.contains(place)) {
                            idle.put(place, System.nanoTime());
                        }
                    });
        }
    }

    /**
     * The same until {@link #release}, for a sandbox that does not run yet. After a full disk of
     * the host the file system may refuse to be written; mounting it anew repairs that.
     */
    public void holdWritable(Path place) throws IOException {
        hold(place);
        if (hasImage(place) && !isWritable(place)) {
            locked(
                    place,
                    () -> {
                        tools.unmountForGood(place);
                        mount(place);
                    });
        }
    }

    private static boolean isWritable(Path place) {
        var file = place.resolve(".writable");
        try {
            Files.deleteIfExists(file);
            Files.createFile(file);
            Files.delete(file);
            return true;
        } catch (IOException e) {
            return false;
        }
    }

    /** Mounts the image until {@link #release}, whatever state it is in. */
    public void hold(Path place) throws IOException {
        if (hasImage(place)) {
            locked(
                    place,
                    () -> {
                        mount(place);
                        held.add(place);
                        idle.remove(place);
                    });
        }
    }

    public void release(Path place) {
        if (held.remove(place)) {
            idle.put(place, System.nanoTime());
        }
    }

    /** Whether an image is mounted at this folder now. */
    public boolean isMounted(Path place) {
        try {
            return hasImage(place) && MountTable.isMounted(place);
        } catch (IOException e) {
            return false; // it has just been deleted
        }
    }

    /** Removes the image with all that is in it; the folder stays, and is empty. */
    public void delete(Path place) throws IOException {
        if (!hasImage(place) && !MountTable.isMounted(place)) {
            return;
        }
        locked(
                place,
                () -> {
                    var trash = spares.named();
                    if (MountTable.isMounted(place)) {
                        Files.createDirectory(trash.place());
                        tools.move(place, trash.place());
                    }
                    if (hasImage(place)) {
                        Files.move(image(place), trash.image(), StandardCopyOption.ATOMIC_MOVE);
                    }
                    held.remove(place);
                    idle.remove(place);
                    spares.discardLater(trash);
                });
        locks.remove(place);
    }

    private Optional<String> probe() {
        try {
            var probe = spares.prepare(PROBE_MB);
            try {
                Files.writeString(probe.place().resolve("probe"), "probe");
                return MountTable.isMounted(probe.place())
                        ? Optional.empty()
                        : Optional.of("an image that was mounted is not there");
            } finally {
                spares.discard(probe);
            }
        } catch (IOException e) {
            return Optional.of(String.valueOf(e.getMessage()));
        } catch (LinkageError | NoSuchElementException e) {
            return Optional.of("this system has no such calls"); // it is not Linux
        }
    }

    /** What an earlier server has left: spare images, mounts of deleted ones, lost folders. */
    private void takeOver() throws IOException {
        spares.deleteAll();
        try (DirectoryStream<Path> files = Files.newDirectoryStream(folder, "*" + SUFFIX)) {
            for (var file : files) {
                var name = file.getFileName().toString();
                Files.createDirectories(
                        places.resolve(name.substring(0, name.length() - SUFFIX.length())));
            }
        }
        for (var place : MountTable.in(places)) {
            if (hasImage(place)) {
                idle.put(place, System.nanoTime());
            } else {
                tools.unmountForGood(place);
            }
        }
    }

    private interface Work {
        void run() throws IOException;
    }

    private void locked(Path place, Work work) throws IOException {
        var lock = locks.computeIfAbsent(place, _ -> new ReentrantLock());
        lock.lock();
        try {
            work.run();
        } finally {
            lock.unlock();
        }
    }

    private void mount(Path place) throws IOException {
        if (MountTable.isMounted(place)) {
            return;
        }
        if (closed.getCount() == 0) {
            throw new IOException("the server is shutting down and mounts no more disks");
        }
        try {
            Files.createDirectories(place);
            tools.mount(image(place), place);
        } catch (IOException e) {
            throw new IOException(
                    "the disk image %s could not be mounted: %s"
                            .formatted(image(place), e.getMessage()),
                    e);
        }
    }

    private void unmountIdle() {
        try {
            while (!closed.await(ROUND.toMillis(), TimeUnit.MILLISECONDS)) {
                unmountIdle(System.nanoTime() - LINGER.toNanos());
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt(); // nobody does that
        }
    }

    /** Unmounts images that were last used before this time of {@link System#nanoTime}. */
    void unmountIdle(long time) {
        idle.forEach(
                (place, since) -> {
                    if (since - time < 0) {
                        unmountIdle(place, since);
                    }
                });
    }

    /** Fails, and is tried again, while the server or a person has a file in it open. */
    private void unmountIdle(Path place, Long since) {
        try {
            locked(
                    place,
                    () -> {
                        if (idle.remove(place, since) && MountTable.isMounted(place)) {
                            idle.put(place, System.nanoTime()); // unless it succeeds
                            tools.unmount(place);
                            idle.remove(place);
                        }
                    });
        } catch (IOException e) {
            LOG.log(Level.DEBUG, "{0} stays mounted: {1}", place, e.getMessage());
        }
    }

    private Path image(Path place) {
        return folder.resolve(place.getFileName() + SUFFIX);
    }

    /** Unmounts all, so that the data directory can be moved, copied or deleted. */
    @Override
    public void close() {
        closed.countDown();
        try {
            var threads =
                    MountTable.in(places).stream()
                            .map(place -> Thread.ofVirtual().start(() -> tryToUnmount(place)))
                            .toList();
            for (var thread : threads) {
                thread.join();
            }
            spares.close();
        } catch (IOException e) {
            LOG.log(Level.WARNING, "Disk images could not be unmounted: {0}", e.getMessage());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } finally {
            tools.close();
        }
    }

    private void tryToUnmount(Path place) {
        try {
            locked(place, () -> tools.unmountForGood(place));
        } catch (IOException e) {
            LOG.log(Level.WARNING, "{0} could not be unmounted: {1}", place, e.getMessage());
        }
    }
}

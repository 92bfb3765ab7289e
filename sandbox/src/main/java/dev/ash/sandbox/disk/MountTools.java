package dev.ash.sandbox.disk;

import dev.ash.sandbox.launch.Command;
import dev.ash.sandbox.launch.HostTools;
import dev.ash.sandbox.launch.Spawner;
import java.io.IOException;
import java.lang.ProcessBuilder.Redirect;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/**
 * Formats, mounts and unmounts images. Mounting and unmounting wait for the disk, which would stop
 * a carrier of virtual threads, so they run on threads of their own.
 */
final class MountTools implements AutoCloseable {
    private static final Duration PATIENCE = Duration.ofMinutes(2);
    private static final int MAX_TEMPLATES = 8;

    // discard: what is deleted inside is freed on the host. noinit_itable: the image stays sparse.
    private static final String OPTIONS = "discard,noinit_itable";

    private final Spawner spawner;
    private final String path;
    private final Path folder;
    private final Map<Integer, ImageTemplate> templates = new ConcurrentHashMap<>();
    private final ExecutorService threads =
            Executors.newCachedThreadPool(
                    Thread.ofPlatform().daemon().name("ash-disk-", 0).factory());

    /** Looks for programs in this PATH; {@code folder} is for their error output. */
    MountTools(Spawner spawner, String path, Path folder) {
        this.spawner = spawner;
        this.path = path;
        this.folder = folder;
    }

    /** The first of a size is made by {@code mkfs}, the others are copies of it. */
    void format(int diskMb, Path image) throws IOException {
        var template = templates.get(diskMb);
        if (template != null) {
            template.write(image);
            return;
        }
        var size = ImageSize.of(diskMb);
        try (var file = new java.io.RandomAccessFile(image.toFile(), "rw")) {
            file.setLength(size.bytes());
        }
        run(size.format(program("mkfs.ext4"), image), 0);
        if (templates.size() < MAX_TEMPLATES) {
            templates.put(diskMb, ImageTemplate.read(image));
        }
    }

    /** A new image, which no device can have. */
    void mountNew(Path image, Path place) throws IOException {
        inOwnThread(
                () -> {
                    try (var device = LoopDevice.attach(image)) {
                        mount(device, place);
                    }
                });
        Files.deleteIfExists(place.resolve("lost+found")); // e2fsck makes it when it needs it
    }

    /** An image that may be mounted elsewhere: two devices for it would destroy it. */
    void mount(Path image, Path place) throws IOException {
        try {
            attachAndMount(image, place);
        } catch (IOException e) {
            repair(image, e);
            attachAndMount(image, place);
        }
    }

    private void attachAndMount(Path image, Path place) throws IOException {
        inOwnThread(
                () -> {
                    var found = LoopDevice.find(image);
                    try (var device = found.isPresent() ? found.get() : LoopDevice.attach(image)) {
                        mount(device, place);
                    }
                });
    }

    private static void mount(LoopDevice device, Path place) throws IOException {
        LinuxMounts.mount(device.path(), place, "ext4", LinuxMounts.NOSUID_NODEV, OPTIONS);
    }

    /** Errors that the journal does not undo, as after a fault of the disk. */
    private void repair(Path image, IOException failure) throws IOException {
        var inUse = LoopDevice.find(image);
        if (inUse.isPresent()) {
            inUse.get().close();
            throw failure;
        }
        try {
            run(List.of(program("e2fsck").toString(), "-p", image.toString()), 1);
        } catch (IOException e) {
            failure.addSuppressed(e);
            throw failure;
        }
    }

    /** Shows a mounted file system at another place instead; nothing is written. */
    void move(Path from, Path to) throws IOException {
        LinuxMounts.mount(from, to, "none", LinuxMounts.BIND, "");
        LinuxMounts.unmount(from, LinuxMounts.DETACH);
    }

    void unmount(Path place) throws IOException {
        inOwnThread(() -> LinuxMounts.unmount(place, 0));
    }

    /** At once, although files are open; the file system ends when the last of them is closed. */
    void detach(Path place) throws IOException {
        inOwnThread(() -> LinuxMounts.unmount(place, LinuxMounts.DETACH));
    }

    /** Whether or not somebody has a file open. */
    void unmountForGood(Path place) throws IOException {
        if (!MountTable.isMounted(place)) {
            return;
        }
        try {
            unmount(place);
        } catch (IOException e) {
            detach(place); // somebody has a file open
        }
    }

    private interface Work {
        void run() throws IOException;
    }

    private void inOwnThread(Work work) throws IOException {
        try {
            threads.submit(
                            () -> {
                                work.run();
                                return true;
                            })
                    .get();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted", e);
        } catch (ExecutionException e) {
            throw e.getCause() instanceof IOException io ? io : new IOException(e.getCause());
        }
    }

    private Path program(String name) throws IOException {
        return HostTools.program(name, path)
                .orElseThrow(() -> new IOException("the program " + name + " is not installed"));
    }

    /**
     * Codes up to {@code best} are a success: e2fsck ends with 1 when it has repaired something.
     */
    private void run(List<String> words, int best) throws IOException {
        var output = folder.resolve("errors-" + UUID.randomUUID());
        try {
            var command = Command.quiet(words.toArray(String[]::new));
            int code = spawner.run(command.withErrors(Redirect.to(output.toFile())), PATIENCE);
            if (code > best) {
                throw new IOException(
                        firstLine(output).orElse(words.getFirst() + " ended with code " + code));
            }
        } finally {
            Files.deleteIfExists(output);
        }
    }

    private static Optional<String> firstLine(Path file) throws IOException {
        return new String(Files.readAllBytes(file), StandardCharsets.UTF_8)
                .lines()
                .filter(line -> !line.isBlank())
                .findFirst();
    }

    @Override
    public void close() {
        threads.shutdown();
    }
}

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
 * Formats, mounts and unmounts images. Mounting and unmounting block on the disk, which would pin
 * carriers of virtual threads, so they run on platform threads.
 */
final class MountTools implements AutoCloseable {
    private static final Duration TIMEOUT = Duration.ofMinutes(2);
    private static final int MAX_TEMPLATES = 8;

    // discard: space of deleted files is freed on the host. noinit_itable: the image stays sparse.
    private static final String OPTIONS = "discard,noinit_itable";

    private final Spawner spawner;
    private final String path;
    private final Path directory;
    private final Map<Integer, ImageTemplate> templates = new ConcurrentHashMap<>();
    private final ExecutorService threads =
            Executors.newCachedThreadPool(
                    Thread.ofPlatform().daemon().name("ash-disk-", 0).factory());

    /**
     * Creates the tools; {@code path} is searched for programs, {@code directory} is for their
     * error output.
     */
    MountTools(Spawner spawner, String path, Path directory) {
        this.spawner = spawner;
        this.path = path;
        this.directory = directory;
    }

    /** Formats an image: the first of a size with {@code mkfs}, the others as copies of it. */
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
        run(size.formatCommand(program("mkfs.ext4"), image), 0);
        if (templates.size() < MAX_TEMPLATES) {
            templates.put(diskMb, ImageTemplate.read(image));
        }
    }

    /** Mounts a new image, which has no device yet. */
    void mountNew(Path image, Path mountPoint) throws IOException {
        onPlatformThread(
                () -> {
                    try (var device = LoopDevice.attach(image)) {
                        mount(device, mountPoint);
                    }
                });
        Files.deleteIfExists(mountPoint.resolve("lost+found")); // e2fsck creates it when needed
    }

    /** Mounts an image that may be mounted elsewhere: a second device would corrupt it. */
    void mount(Path image, Path mountPoint) throws IOException {
        try {
            attachAndMount(image, mountPoint);
        } catch (IOException e) {
            repair(image, e);
            attachAndMount(image, mountPoint);
        }
    }

    private void attachAndMount(Path image, Path mountPoint) throws IOException {
        onPlatformThread(
                () -> {
                    var found = LoopDevice.find(image);
                    try (var device = found.isPresent() ? found.get() : LoopDevice.attach(image)) {
                        mount(device, mountPoint);
                    }
                });
    }

    private static void mount(LoopDevice device, Path mountPoint) throws IOException {
        LinuxMounts.mount(device.path(), mountPoint, "ext4", LinuxMounts.NOSUID_NODEV, OPTIONS);
    }

    /** Repairs errors that the journal does not fix, for example after a disk failure. */
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

    /** Moves a mount to another mount point; nothing is written. */
    void move(Path from, Path to) throws IOException {
        LinuxMounts.mount(from, to, "none", LinuxMounts.BIND, "");
        LinuxMounts.unmount(from, LinuxMounts.DETACH);
    }

    void unmount(Path mountPoint) throws IOException {
        onPlatformThread(() -> LinuxMounts.unmount(mountPoint, 0));
    }

    /** Detaches a mount immediately; the kernel unmounts it when the last open file is closed. */
    void detach(Path mountPoint) throws IOException {
        onPlatformThread(() -> LinuxMounts.unmount(mountPoint, LinuxMounts.DETACH));
    }

    /** Unmounts, or detaches if a file is open. */
    void forceUnmount(Path mountPoint) throws IOException {
        if (!MountTable.isMounted(mountPoint)) {
            return;
        }
        try {
            unmount(mountPoint);
        } catch (IOException e) {
            detach(mountPoint); // a file is open
        }
    }

    private interface Work {
        void run() throws IOException;
    }

    private void onPlatformThread(Work work) throws IOException {
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
     * Runs a program; exit codes up to {@code maxSuccess} are a success: e2fsck exits with 1 after
     * a repair.
     */
    private void run(List<String> arguments, int maxSuccess) throws IOException {
        var output = directory.resolve("errors-" + UUID.randomUUID());
        try {
            var command = Command.quiet(arguments.toArray(String[]::new));
            int code = spawner.run(command.withStderr(Redirect.to(output.toFile())), TIMEOUT);
            if (code > maxSuccess) {
                throw new IOException(
                        firstLine(output)
                                .orElse(arguments.getFirst() + " exited with code " + code));
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

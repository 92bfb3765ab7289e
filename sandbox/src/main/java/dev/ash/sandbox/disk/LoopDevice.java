package dev.ash.sandbox.disk;

import dev.ash.sandbox.disk.LinuxMounts.Descriptor;
import dev.ash.sandbox.disk.LinuxMounts.SystemCallException;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;

/**
 * The loop device of an image. The kernel removes it when it is neither open nor mounted; this
 * object keeps it open.
 */
record LoopDevice(Path path, Descriptor descriptor) implements AutoCloseable {
    private static final Path CONTROL = Path.of("/dev/loop-control");
    private static final Path ALL = Path.of("/sys/block");
    private static final int ATTEMPTS = 100;

    // struct loop_config: the descriptor of the image, then struct loop_info64.
    private static final int CONFIG_BYTES = 304;
    private static final int FLAGS = 8 + 52;
    private static final int AUTOCLEAR = 4;

    /**
     * Attaches an image to a new device. The image must not have one, or two devices would write to
     * it.
     */
    static LoopDevice attach(Path image) throws IOException {
        try (var control = LinuxMounts.open(CONTROL);
                var file = LinuxMounts.open(image);
                var arena = Arena.ofConfined()) {
            var config = arena.allocate(CONFIG_BYTES, 8);
            config.set(ValueLayout.JAVA_INT, 0, file.number());
            config.set(ValueLayout.JAVA_INT, FLAGS, AUTOCLEAR);
            for (int attempt = 1; ; attempt++) {
                try {
                    return configure(control, config);
                } catch (SystemCallException e) {
                    // Another process has taken the free device meanwhile.
                    if (e.errno() != LinuxMounts.EBUSY || attempt == ATTEMPTS) {
                        throw e;
                    }
                }
            }
        }
    }

    private static LoopDevice configure(Descriptor control, MemorySegment config)
            throws IOException {
        int number =
                LinuxMounts.ioctl(
                        control,
                        "no loop device is available",
                        LinuxMounts.LOOP_GET_FREE,
                        MemorySegment.NULL);
        var path = Path.of("/dev/loop" + number);
        var descriptor = LinuxMounts.open(path);
        boolean done = false;
        try {
            LinuxMounts.ioctl(
                    descriptor,
                    "cannot attach an image to " + path,
                    LinuxMounts.LOOP_CONFIGURE,
                    config);
            done = true;
            return new LoopDevice(path, descriptor);
        } finally {
            if (!done) {
                descriptor.close();
            }
        }
    }

    /** Finds the device of an image, for example if it is mounted in another namespace. */
    static Optional<LoopDevice> find(Path image) throws IOException {
        try (DirectoryStream<Path> devices = Files.newDirectoryStream(ALL, "loop*")) {
            for (var device : devices) {
                if (isBackedBy(device, image)) {
                    var path = Path.of("/dev").resolve(device.getFileName());
                    var descriptor = LinuxMounts.open(path);
                    if (isBackedBy(device, image)) { // check again: an open device cannot change
                        return Optional.of(new LoopDevice(path, descriptor));
                    }
                    descriptor.close();
                }
            }
        }
        return Optional.empty();
    }

    private static boolean isBackedBy(Path device, Path image) {
        try {
            var file = Files.readString(device.resolve("loop/backing_file"));
            return file.strip().equals(image.toString());
        } catch (IOException e) {
            return false; // no backing file
        }
    }

    @Override
    public void close() throws IOException {
        descriptor.close();
    }
}

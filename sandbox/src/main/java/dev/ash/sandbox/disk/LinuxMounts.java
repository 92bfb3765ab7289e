package dev.ash.sandbox.disk;

import dev.ash.sandbox.system.NativeFunction;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;

/**
 * System calls for loop devices and mounts. Starting the program {@code mount} would take longer
 * than the calls themselves, and delay every launch.
 */
@SuppressWarnings("restricted") // native access is its purpose
final class LinuxMounts {
    static final int NOSUID_NODEV = 2 | 4;
    static final int BIND = 4096;
    static final int DETACH = 2;

    static final int LOOP_GET_FREE = 0x4C82;
    static final int LOOP_CONFIGURE = 0x4C0A;
    static final int SEEK_DATA = 3;
    static final int SEEK_HOLE = 4;

    static final int EBUSY = 16;
    static final int ENXIO = 6;
    private static final int READ_WRITE = 2 | 0x80000; // O_RDWR | O_CLOEXEC
    private static final int NO_FOLLOW = 8;

    private static final NativeFunction OPEN = NativeFunction.require("open");
    private static final NativeFunction CLOSE = NativeFunction.require("close");
    private static final NativeFunction IOCTL = NativeFunction.require("ioctl");
    private static final NativeFunction LSEEK = NativeFunction.require("lseek");
    private static final NativeFunction MOUNT = NativeFunction.require("mount");
    private static final NativeFunction UMOUNT = NativeFunction.require("umount2");
    private static final NativeFunction STRERROR = NativeFunction.require("strerror");

    /** Thrown if a system call fails. */
    static final class SystemCallException extends IOException {
        private static final long serialVersionUID = 1L;

        private final int errno;

        private SystemCallException(String what, int errno) {
            super(what + ": " + text(errno));
            this.errno = errno;
        }

        int errno() {
            return errno;
        }
    }

    /** A file descriptor. */
    record Descriptor(int number) implements AutoCloseable {
        @Override
        public void close() throws IOException {
            call("close", _ -> CLOSE.call(number));
        }
    }

    static Descriptor open(Path file) throws IOException {
        return new Descriptor(
                (int)
                        call(
                                "cannot open " + file,
                                arena -> OPEN.call(text(arena, file), READ_WRITE)));
    }

    static int ioctl(Descriptor file, String what, int request, MemorySegment argument)
            throws IOException {
        return (int) call(what, _ -> IOCTL.call(file.number, request, argument.address()));
    }

    static long seek(Descriptor file, long offset, int whence) throws IOException {
        return call("cannot seek", _ -> LSEEK.callLong(file.number, offset, whence));
    }

    static void mount(Path source, Path mountPoint, String type, int flags, String options)
            throws IOException {
        call(
                "cannot mount " + source + " at " + mountPoint,
                arena ->
                        MOUNT.call(
                                text(arena, source),
                                text(arena, mountPoint),
                                arena.allocateFrom(type).address(),
                                flags,
                                arena.allocateFrom(options).address()));
    }

    static void unmount(Path mountPoint, int flags) throws IOException {
        call(
                "cannot unmount " + mountPoint,
                arena -> UMOUNT.call(text(arena, mountPoint), flags | NO_FOLLOW));
    }

    private interface Call {
        long run(Arena arena) throws NativeFunction.Failure;
    }

    private static long call(String what, Call call) throws IOException {
        try (var arena = Arena.ofConfined()) {
            return call.run(arena);
        } catch (NativeFunction.Failure e) {
            throw new SystemCallException(what, e.errno());
        }
    }

    private static long text(Arena arena, Path path) {
        return arena.allocateFrom(path.toString(), StandardCharsets.UTF_8).address();
    }

    private static String text(int errno) {
        try {
            var text = MemorySegment.ofAddress(STRERROR.callLong(errno));
            return text.reinterpret(256).getString(0);
        } catch (NativeFunction.Failure e) {
            return "error " + errno;
        }
    }

    private LinuxMounts() {}
}

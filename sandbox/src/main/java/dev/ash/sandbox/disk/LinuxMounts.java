package dev.ash.sandbox.disk;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.VarHandle;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;

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

    private static final Linker LINKER = Linker.nativeLinker();
    private static final MemoryLayout STATE = Linker.Option.captureStateLayout();
    private static final VarHandle ERRNO =
            STATE.varHandle(MemoryLayout.PathElement.groupElement("errno"));
    private static final MemoryLayout INT = ValueLayout.JAVA_INT;
    private static final MemoryLayout LONG = ValueLayout.JAVA_LONG;
    private static final MemoryLayout TEXT = ValueLayout.ADDRESS;

    private static final MethodHandle OPEN =
            function("open", INT, List.of(TEXT, INT), Linker.Option.firstVariadicArg(2));
    private static final MethodHandle CLOSE = function("close", INT, List.of(INT));
    private static final MethodHandle IOCTL =
            function("ioctl", INT, List.of(INT, LONG, TEXT), Linker.Option.firstVariadicArg(2));
    private static final MethodHandle LSEEK = function("lseek", LONG, List.of(INT, LONG, INT));
    private static final MethodHandle MOUNT =
            function("mount", INT, List.of(TEXT, TEXT, TEXT, LONG, TEXT));
    private static final MethodHandle UMOUNT = function("umount2", INT, List.of(TEXT, INT));
    private static final MethodHandle STRERROR =
            LINKER.downcallHandle(
                    LINKER.defaultLookup().findOrThrow("strerror"),
                    FunctionDescriptor.of(ValueLayout.ADDRESS, ValueLayout.JAVA_INT));

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
            call("close", (_, state) -> (int) CLOSE.invokeExact(state, number));
        }
    }

    static Descriptor open(Path file) throws IOException {
        return new Descriptor(
                (int)
                        call(
                                "cannot open " + file,
                                (arena, state) ->
                                        (int)
                                                OPEN.invokeExact(
                                                        state, text(arena, file), READ_WRITE)));
    }

    static int ioctl(Descriptor file, String what, int request, MemorySegment argument)
            throws IOException {
        return (int)
                call(
                        what,
                        (_, state) ->
                                (int)
                                        IOCTL.invokeExact(
                                                state, file.number, (long) request, argument));
    }

    static long seek(Descriptor file, long offset, int whence) throws IOException {
        return call(
                "cannot seek",
                (_, state) -> (long) LSEEK.invokeExact(state, file.number, offset, whence));
    }

    static void mount(Path source, Path mountPoint, String type, int flags, String options)
            throws IOException {
        call(
                "cannot mount " + source + " at " + mountPoint,
                (arena, state) ->
                        (int)
                                MOUNT.invokeExact(
                                        state,
                                        text(arena, source),
                                        text(arena, mountPoint),
                                        arena.allocateFrom(type),
                                        (long) flags,
                                        arena.allocateFrom(options)));
    }

    static void unmount(Path mountPoint, int flags) throws IOException {
        call(
                "cannot unmount " + mountPoint,
                (arena, state) ->
                        (int)
                                UMOUNT.invokeExact(
                                        state, text(arena, mountPoint), flags | NO_FOLLOW));
    }

    private interface Call {
        long run(Arena arena, MemorySegment state) throws Throwable;
    }

    private static long call(String what, Call call) throws IOException {
        try (var arena = Arena.ofConfined()) {
            var state = arena.allocate(STATE);
            long result = call.run(arena, state);
            if (result < 0) {
                throw new SystemCallException(what, (int) ERRNO.get(state, 0L));
            }
            return result;
        } catch (IOException | RuntimeException | Error e) {
            throw e;
        } catch (Throwable e) {
            throw new IllegalStateException(e); // a native call throws nothing
        }
    }

    private static MemorySegment text(Arena arena, Path path) {
        return arena.allocateFrom(path.toString(), StandardCharsets.UTF_8);
    }

    private static String text(int errno) {
        try {
            var text = (MemorySegment) STRERROR.invokeExact(errno);
            return text.reinterpret(256).getString(0);
        } catch (Throwable e) {
            return "error " + errno;
        }
    }

    private static MethodHandle function(
            String name,
            MemoryLayout result,
            List<MemoryLayout> arguments,
            Linker.Option... options) {
        var all = new Linker.Option[options.length + 1];
        all[0] = Linker.Option.captureCallState("errno");
        System.arraycopy(options, 0, all, 1, options.length);
        return LINKER.downcallHandle(
                LINKER.defaultLookup().findOrThrow(name),
                FunctionDescriptor.of(result, arguments.toArray(MemoryLayout[]::new)),
                all);
    }

    private LinuxMounts() {}
}

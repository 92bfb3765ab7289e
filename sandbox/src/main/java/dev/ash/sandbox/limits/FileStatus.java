package dev.ash.sandbox.limits;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.Optional;

/**
 * What a file takes of the disk: {@code statx} of the C library, since Java tells the length of a
 * file but not how many of its blocks exist. Where there is no such function, the length.
 *
 * @param device where it lies, in a form good for comparing only
 */
@SuppressWarnings("restricted") // native access is what this is for
record FileStatus(boolean folder, long bytes, long names, long file, long device) {
    private static final Optional<MethodHandle> STATX =
            Linker.nativeLinker()
                    .defaultLookup()
                    .find("statx")
                    .map(
                            function ->
                                    Linker.nativeLinker()
                                            .downcallHandle(
                                                    function,
                                                    FunctionDescriptor.of(
                                                            ValueLayout.JAVA_INT,
                                                            ValueLayout.JAVA_INT,
                                                            ValueLayout.ADDRESS,
                                                            ValueLayout.JAVA_INT,
                                                            ValueLayout.JAVA_INT,
                                                            ValueLayout.ADDRESS)));

    private static final int AT_FDCWD = -100;
    private static final int NO_FOLLOW = 0x100;
    private static final int BASIC = 0x7FF;
    private static final int SIZE = 256;

    // Where things stand in the kernel's answer, which is the same on every processor.
    private static final int NLINK = 16;
    private static final int MODE = 28;
    private static final int INODE = 32;
    private static final int BLOCKS = 48;
    private static final int DEVICE_MAJOR = 136;
    private static final int DEVICE_MINOR = 140;

    /** Of a link, that of the link itself. */
    static FileStatus of(Path path) throws IOException {
        return STATX.isPresent() && isWholly(path)
                ? statx(STATX.get(), path, NO_FOLLOW)
                : lengthOf(path);
    }

    /** Of what an entry below {@code /proc/<pid>/fd} stands for. */
    static FileStatus behind(Path descriptor) throws IOException {
        return STATX.isPresent() ? statx(STATX.get(), descriptor, 0) : lengthOf(descriptor);
    }

    /** A name that is no text has lost bytes in it, and might now be that of another file. */
    private static boolean isWholly(Path path) {
        return path.toString().indexOf('\uFFFD') < 0;
    }

    private static FileStatus statx(MethodHandle statx, Path path, int flags) throws IOException {
        try (var arena = Arena.ofConfined()) {
            var name = arena.allocateFrom(path.toString(), StandardCharsets.UTF_8);
            var answer = arena.allocate(SIZE, 8);
            if ((int) statx.invokeExact(AT_FDCWD, name, flags, BASIC, answer) != 0) {
                throw new NoSuchFileException(path.toString());
            }
            return read(answer);
        } catch (IOException | RuntimeException | Error e) {
            throw e;
        } catch (Throwable e) {
            throw new IllegalStateException(e); // a call of C throws nothing
        }
    }

    private static FileStatus read(MemorySegment answer) {
        int mode = answer.get(ValueLayout.JAVA_SHORT, MODE) & 0xFFFF;
        return new FileStatus(
                (mode & 0xF000) == 0x4000,
                answer.get(ValueLayout.JAVA_LONG, BLOCKS) * 512,
                Math.max(1, answer.get(ValueLayout.JAVA_INT, NLINK)),
                answer.get(ValueLayout.JAVA_LONG, INODE),
                ((long) answer.get(ValueLayout.JAVA_INT, DEVICE_MAJOR) << 32)
                        | answer.get(ValueLayout.JAVA_INT, DEVICE_MINOR));
    }

    private static FileStatus lengthOf(Path path) throws IOException {
        var attributes =
                Files.readAttributes(path, BasicFileAttributes.class, LinkOption.NOFOLLOW_LINKS);
        return new FileStatus(attributes.isDirectory(), attributes.size(), 1, path.hashCode(), 0);
    }
}

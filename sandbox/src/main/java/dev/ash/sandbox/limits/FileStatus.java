package dev.ash.sandbox.limits;

import dev.ash.sandbox.system.NativeFunction;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.Optional;

/**
 * The disk space of a file, by {@code statx} of the C library: Java reports the length of a file,
 * but not its allocated blocks. Falls back to the length if the function is missing.
 *
 * @param device device of the file, for comparison only
 */
record FileStatus(boolean isDirectory, long bytes, long links, long inode, long device) {
    private static final Optional<NativeFunction> STATX = NativeFunction.find("statx");

    private static final int AT_FDCWD = -100;
    private static final int NO_FOLLOW = 0x100;
    private static final int BASIC = 0x7FF;
    private static final int SIZE = 256;

    // Offsets in struct statx, the same on every architecture.
    private static final int NLINK = 16;
    private static final int MODE = 28;
    private static final int INODE = 32;
    private static final int BLOCKS = 48;
    private static final int DEVICE_MAJOR = 136;
    private static final int DEVICE_MINOR = 140;

    /** Returns the status of a file, without following links. */
    static FileStatus of(Path path) throws IOException {
        return STATX.isPresent() && isDecodable(path)
                ? statx(STATX.get(), path, NO_FOLLOW)
                : lengthOf(path);
    }

    /** Returns the status of the file behind an entry of {@code /proc/<pid>/fd}. */
    static FileStatus ofDescriptor(Path descriptor) throws IOException {
        return STATX.isPresent() ? statx(STATX.get(), descriptor, 0) : lengthOf(descriptor);
    }

    /** Whether the name was decoded without loss; otherwise the path might name another file. */
    private static boolean isDecodable(Path path) {
        return path.toString().indexOf('\uFFFD') < 0;
    }

    private static FileStatus statx(NativeFunction statx, Path path, int flags) throws IOException {
        try (var arena = Arena.ofConfined()) {
            var name = arena.allocateFrom(path.toString(), StandardCharsets.UTF_8);
            var buffer = arena.allocate(SIZE, 8);
            statx.call(AT_FDCWD, name.address(), flags, BASIC, buffer.address());
            return read(buffer);
        } catch (NativeFunction.Failure e) {
            throw new NoSuchFileException(path.toString());
        }
    }

    private static FileStatus read(MemorySegment buffer) {
        int mode = buffer.get(ValueLayout.JAVA_SHORT, MODE) & 0xFFFF;
        return new FileStatus(
                (mode & 0xF000) == 0x4000,
                buffer.get(ValueLayout.JAVA_LONG, BLOCKS) * 512,
                Math.max(1, buffer.get(ValueLayout.JAVA_INT, NLINK)),
                buffer.get(ValueLayout.JAVA_LONG, INODE),
                ((long) buffer.get(ValueLayout.JAVA_INT, DEVICE_MAJOR) << 32)
                        | buffer.get(ValueLayout.JAVA_INT, DEVICE_MINOR));
    }

    private static FileStatus lengthOf(Path path) throws IOException {
        var attributes =
                Files.readAttributes(path, BasicFileAttributes.class, LinkOption.NOFOLLOW_LINKS);
        return new FileStatus(attributes.isDirectory(), attributes.size(), 1, path.hashCode(), 0);
    }
}

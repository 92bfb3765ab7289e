package dev.ash.sandbox.limits;

import dev.ash.sandbox.system.NativeFunction;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.charset.StandardCharsets;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;

/**
 * The space of one file system, by {@code statvfs} of the C library. Java's {@code FileStore} does
 * not report inodes and reads the list of all mounts on each call.
 *
 * @param usedBytes used space, including deleted files that a process has open
 * @param availableBytes space available to users other than root
 */
public record DiskSpace(
        long totalBytes, long usedBytes, long availableBytes, long files, long freeFiles) {
    private static final NativeFunction STATVFS = NativeFunction.require("statvfs");

    // struct statvfs on 64-bit Linux: fields of eight bytes each.
    private static final int SIZE = 256;
    private static final int FRAGMENT_BYTES = 8;
    private static final int BLOCKS = 16;
    private static final int FREE_BLOCKS = 24;
    private static final int AVAILABLE_BLOCKS = 32;
    private static final int FILES = 40;
    private static final int AVAILABLE_FILES = 56;

    /** A file system with less than this fraction free counts as full. */
    private static final int FULL = 256;

    /** The kernel refuses large writes below this; small file systems use a fraction instead. */
    private static final long LARGE_WRITE = 2 * 1024 * 1024;

    private static final int SMALL_PART = 16;

    public static DiskSpace of(Path path) throws IOException {
        try (var arena = Arena.ofConfined()) {
            var name = arena.allocateFrom(path.toString(), StandardCharsets.UTF_8);
            var buffer = arena.allocate(SIZE, 8);
            STATVFS.call(name.address(), buffer.address());
            return read(buffer);
        } catch (NativeFunction.Failure e) {
            throw new NoSuchFileException(path.toString());
        }
    }

    private static DiskSpace read(MemorySegment buffer) {
        long unit = at(buffer, FRAGMENT_BYTES);
        return new DiskSpace(
                at(buffer, BLOCKS) * unit,
                (at(buffer, BLOCKS) - at(buffer, FREE_BLOCKS)) * unit,
                at(buffer, AVAILABLE_BLOCKS) * unit,
                at(buffer, FILES),
                at(buffer, AVAILABLE_FILES));
    }

    private static long at(MemorySegment buffer, int offset) {
        return buffer.get(ValueLayout.JAVA_LONG, offset);
    }

    /** Whether programs cannot write more data or create more files. */
    public boolean isFull() {
        long required = Math.max(totalBytes / FULL, Math.min(LARGE_WRITE, totalBytes / SMALL_PART));
        return availableBytes < required || (files > 0 && freeFiles < files / FULL);
    }
}

package dev.ash.sandbox.limits;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.nio.charset.StandardCharsets;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;

/**
 * The space of one file system: {@code statvfs} of the C library. Java's {@code FileStore} does not
 * count inodes and reads the list of all mounts on each call.
 *
 * @param usedBytes including files that were deleted while a process has them open
 * @param availableBytes for users other than root
 */
@SuppressWarnings("restricted") // native access is what this is for
public record DiskSpace(
        long totalBytes, long usedBytes, long availableBytes, long files, long freeFiles) {
    private static final MethodHandle STATVFS =
            Linker.nativeLinker()
                    .downcallHandle(
                            Linker.nativeLinker()
                                    .defaultLookup()
                                    .find("statvfs")
                                    .orElseThrow(
                                            () -> new UnsatisfiedLinkError("statvfs is missing")),
                            FunctionDescriptor.of(
                                    ValueLayout.JAVA_INT,
                                    ValueLayout.ADDRESS,
                                    ValueLayout.ADDRESS));

    // struct statvfs on 64-bit Linux: fields of eight bytes each.
    private static final int SIZE = 256;
    private static final int FRAGMENT_BYTES = 8;
    private static final int BLOCKS = 16;
    private static final int FREE_BLOCKS = 24;
    private static final int AVAILABLE_BLOCKS = 32;
    private static final int FILES = 40;
    private static final int AVAILABLE_FILES = 56;

    /** Less than one part in so many is left: full, for all that programs can do with it. */
    private static final int FULL = 256;

    /** The kernel refuses large writes while less than this is left; the same in a small system. */
    private static final long LARGE_WRITE = 2 * 1024 * 1024;

    private static final int SMALL_PART = 16;

    public static DiskSpace of(Path path) throws IOException {
        try (var arena = Arena.ofConfined()) {
            var name = arena.allocateFrom(path.toString(), StandardCharsets.UTF_8);
            var answer = arena.allocate(SIZE, 8);
            if ((int) STATVFS.invokeExact(name, answer) != 0) {
                throw new NoSuchFileException(path.toString());
            }
            return read(answer);
        } catch (IOException | RuntimeException | Error e) {
            throw e;
        } catch (Throwable e) {
            throw new IllegalStateException(e); // a call of C throws nothing
        }
    }

    private static DiskSpace read(MemorySegment answer) {
        long unit = at(answer, FRAGMENT_BYTES);
        return new DiskSpace(
                at(answer, BLOCKS) * unit,
                (at(answer, BLOCKS) - at(answer, FREE_BLOCKS)) * unit,
                at(answer, AVAILABLE_BLOCKS) * unit,
                at(answer, FILES),
                at(answer, AVAILABLE_FILES));
    }

    private static long at(MemorySegment answer, int offset) {
        return answer.get(ValueLayout.JAVA_LONG, offset);
    }

    /** Whether programs cannot write more data, or make more files. */
    public boolean isFull() {
        long least = Math.max(totalBytes / FULL, Math.min(LARGE_WRITE, totalBytes / SMALL_PART));
        return availableBytes < least || (files > 0 && freeFiles < files / FULL);
    }
}

package dev.ash.sandbox.limits;

import java.io.IOException;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.SplittableRandom;

/**
 * A file that occupies space on the disk of the data directory. The server truncates it when
 * sandboxes have filled the disk faster than they were terminated: without free space it could not
 * even record that sessions are deleted. Not thread-safe.
 */
final class DiskBallast {
    private static final Logger LOG = System.getLogger(DiskBallast.class.getName());
    private static final long MAX_BYTES = 8L * 1024 * 1024;
    private static final int PART_OF_RESERVE = 8;
    private static final int STEPS = 4;
    private static final int BLOCK = 64 * 1024;

    private final Path file;
    private final long bytes;

    private DiskBallast(Path file, long bytes) {
        this.file = file;
        this.bytes = bytes;
    }

    static DiskBallast of(DiskReserve reserve) {
        return new DiskBallast(
                reserve.dataDir().resolve("disk-ballast"),
                Math.min(MAX_BYTES, reserve.bytes() / PART_OF_RESERVE));
    }

    /** Returns the number of free bytes below which the disk counts as full. */
    long fullBelow() {
        return bytes / STEPS / 2;
    }

    /** Grows the file to its full size, unless that would violate the reserve. */
    void fill(long freeBytes, DiskReserve reserve) {
        try {
            long size = size();
            if (size < bytes && !reserve.isViolatedBy(freeBytes - (bytes - size))) {
                append(bytes - size);
            }
        } catch (IOException e) {
            LOG.log(Level.DEBUG, "Cannot write {0}: {1}", file, e.getMessage());
        }
    }

    /** Appends random bytes, which a compressing file system cannot shrink. */
    private void append(long missing) throws IOException {
        var random = new SplittableRandom();
        var block = new byte[BLOCK];
        try (var channel =
                FileChannel.open(file, StandardOpenOption.CREATE, StandardOpenOption.APPEND)) {
            for (long left = missing; left > 0; left -= BLOCK) {
                random.nextBytes(block);
                channel.write(ByteBuffer.wrap(block, 0, (int) Math.min(BLOCK, left)));
            }
        }
    }

    /** Frees a part of the file only, as a sandbox may consume that too. */
    void release() {
        try {
            long size = size();
            if (size > 0) {
                try (var channel = FileChannel.open(file, StandardOpenOption.WRITE)) {
                    channel.truncate(Math.max(0, size - bytes / STEPS));
                }
                LOG.log(
                        Level.WARNING,
                        "The disk of the data directory is full. The server released space of its"
                                + " ballast file; {0} bytes of it are left. Delete sessions or free"
                                + " space",
                        Math.max(0, size - bytes / STEPS));
            }
        } catch (IOException e) {
            LOG.log(Level.WARNING, "Cannot truncate {0}: {1}", file, e.getMessage());
        }
    }

    private long size() throws IOException {
        return Files.exists(file) ? Files.size(file) : 0;
    }
}

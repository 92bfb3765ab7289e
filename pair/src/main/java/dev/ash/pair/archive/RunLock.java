package dev.ash.pair.archive;

import dev.ash.pair.run.PrivateFiles;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Exclusive lock of the process that executes a run. The kernel releases it when the process exits.
 */
public final class RunLock implements AutoCloseable {
    private final FileChannel channel;

    private RunLock(FileChannel channel) {
        this.channel = channel;
    }

    /** Acquires the lock; empty if it is already held. */
    public static Optional<RunLock> tryAcquire(Path directory) throws IOException {
        var file = directory.resolve("lease");
        PrivateFiles.createFile(file);
        var channel = FileChannel.open(file, StandardOpenOption.READ, StandardOpenOption.WRITE);
        if (lock(channel) == null) {
            channel.close();
            return Optional.empty();
        }
        var holder = "process " + ProcessHandle.current().pid() + "\n";
        channel.truncate(0);
        channel.write(ByteBuffer.wrap(holder.getBytes(StandardCharsets.UTF_8)), 0);
        return Optional.of(new RunLock(channel));
    }

    private static @Nullable FileLock lock(FileChannel channel) throws IOException {
        try {
            return channel.tryLock();
        } catch (OverlappingFileLockException e) {
            return null; // held by this process
        }
    }

    @Override
    public void close() throws IOException {
        channel.close();
    }
}

package dev.ash.server.store;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Set;

/** Atomically writes files that only the server's user can read. */
public final class PrivateFile {
    public static void write(Path file, byte[] content) throws IOException {
        var parent = file.toAbsolutePath().getParent();
        var temporary =
                Files.createTempFile(
                        parent,
                        file.getFileName() + ".",
                        ".tmp",
                        PosixFilePermissions.asFileAttribute(
                                PosixFilePermissions.fromString("rw-------")));
        try {
            try (var channel = FileChannel.open(temporary, Set.of(StandardOpenOption.WRITE))) {
                var bytes = ByteBuffer.wrap(content);
                while (bytes.hasRemaining()) {
                    channel.write(bytes);
                }
                channel.force(true);
            }
            Files.move(temporary, file, StandardCopyOption.ATOMIC_MOVE);
            // Sync the directory: the rename must be durable before any change that depends on it.
            try (var directory = FileChannel.open(parent, StandardOpenOption.READ)) {
                directory.force(true);
            }
        } finally {
            Files.deleteIfExists(temporary);
        }
    }

    private PrivateFile() {}
}

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

/** Files that nobody but the server's user may read, written whole or not at all. */
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
            // The new name must be on disk before anything that depends on the content.
            try (var directory = FileChannel.open(parent, StandardOpenOption.READ)) {
                directory.force(true);
            }
        } finally {
            Files.deleteIfExists(temporary);
        }
    }

    private PrivateFile() {}
}

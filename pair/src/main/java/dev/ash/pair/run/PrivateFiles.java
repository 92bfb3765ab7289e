package dev.ash.pair.run;

import java.io.FileOutputStream;
import java.io.IOException;
import java.nio.channels.ClosedByInterruptException;
import java.nio.channels.FileChannel;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Set;

/** Files and directories that are their owner's alone, and that are whole after a crash. */
public final class PrivateFiles {
    private static final Set<PosixFilePermission> FILE =
            PosixFilePermissions.fromString("rw-------");
    private static final FileAttribute<?> NEW_FILE = PosixFilePermissions.asFileAttribute(FILE);
    private static final FileAttribute<?> NEW_DIRECTORY =
            PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------"));

    private PrivateFiles() {}

    /** Makes the directory and those above it that are missing. */
    public static void createDirectories(Path directory) throws IOException {
        Files.createDirectories(directory, NEW_DIRECTORY);
    }

    /** Makes one directory; false if it is there already, whoever was faster. */
    public static boolean createDirectory(Path directory) throws IOException {
        try {
            Files.createDirectory(directory, NEW_DIRECTORY);
            return true;
        } catch (FileAlreadyExistsException e) {
            return false;
        }
    }

    /** Makes an empty file, or takes an existing one from the eyes of others. */
    public static void createFile(Path file) throws IOException {
        try {
            Files.createFile(file, NEW_FILE);
            syncDirectoryOf(file);
        } catch (FileAlreadyExistsException e) {
            if (!Files.getPosixFilePermissions(file).equals(FILE)) {
                Files.setPosixFilePermissions(file, FILE);
            }
        }
    }

    /**
     * Puts this content in the place of the file's, at once: a reader sees the one or the other.
     */
    public static void replace(Path file, byte[] content) throws IOException {
        var draft =
                file.resolveSibling(
                        "."
                                + file.getFileName()
                                + "."
                                + ProcessHandle.current().pid()
                                + "-"
                                + System.nanoTime());
        Files.createFile(draft, NEW_FILE);
        try {
            try (var out = new FileOutputStream(draft.toFile())) {
                out.write(content);
                out.getFD().sync();
            }
            Files.move(draft, file, StandardCopyOption.ATOMIC_MOVE);
        } catch (IOException e) {
            Files.deleteIfExists(draft);
            throw e;
        }
        syncDirectoryOf(file);
    }

    /** Makes the file's name durable, also for a thread that is being interrupted. */
    private static void syncDirectoryOf(Path file) throws IOException {
        var directory = file.resolveSibling(".");
        boolean interrupted = false;
        while (true) {
            interrupted |= Thread.interrupted();
            try (var channel = FileChannel.open(directory, StandardOpenOption.READ)) {
                channel.force(true);
                break;
            } catch (ClosedByInterruptException e) {
                interrupted = true;
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }
}

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

/**
 * Creates files and directories that only their owner can access, and replaces files atomically.
 */
public final class PrivateFiles {
    private static final Set<PosixFilePermission> FILE =
            PosixFilePermissions.fromString("rw-------");
    private static final FileAttribute<?> NEW_FILE = PosixFilePermissions.asFileAttribute(FILE);
    private static final FileAttribute<?> NEW_DIRECTORY =
            PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------"));

    private PrivateFiles() {}

    /** Creates the directory and its missing parents. */
    public static void createDirectories(Path directory) throws IOException {
        Files.createDirectories(directory, NEW_DIRECTORY);
    }

    /** Creates a directory; returns false if it exists already. */
    public static boolean createDirectory(Path directory) throws IOException {
        try {
            Files.createDirectory(directory, NEW_DIRECTORY);
            return true;
        } catch (FileAlreadyExistsException e) {
            return false;
        }
    }

    /** Creates an empty file, or restricts an existing one to its owner. */
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

    /** Replaces the content of a file atomically: readers see the old or the new content. */
    public static void replace(Path file, byte[] content) throws IOException {
        var temporary =
                file.resolveSibling(
                        "."
                                + file.getFileName()
                                + "."
                                + ProcessHandle.current().pid()
                                + "-"
                                + System.nanoTime());
        Files.createFile(temporary, NEW_FILE);
        try {
            try (var out = new FileOutputStream(temporary.toFile())) {
                out.write(content);
                out.getFD().sync();
            }
            Files.move(temporary, file, StandardCopyOption.ATOMIC_MOVE);
        } catch (IOException e) {
            Files.deleteIfExists(temporary);
            throw e;
        }
        syncDirectoryOf(file);
    }

    /** Syncs the directory entry of a file, even in an interrupted thread. */
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

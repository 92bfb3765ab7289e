package dev.ash.sandbox.limits;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Collection;
import java.util.HashSet;

/**
 * Measures the disk space of directories and of files that running processes have deleted but not
 * closed. An estimate, because agents change the directories concurrently. Does not follow links.
 * Stops as soon as the limit is exceeded, so that an agent cannot make it run forever.
 */
final class DiskUsage {
    /** Charged for each directory entry, so that empty files reach the limit too. */
    private static final long ENTRY_BYTES = 256;

    /** In bytes; the kernel rejects 4096. */
    private static final int MAX_PATH = 4000;

    private final long limit;
    private long bytes;

    private DiskUsage(long limit) {
        this.limit = limit;
    }

    /** Returns the used bytes; beyond the limit, an arbitrary number above it. */
    static long measure(Collection<Path> directories, Collection<Long> processes, long limit) {
        var usage = new DiskUsage(limit);
        long device = 0;
        for (var directory : directories) {
            usage.addTree(directory);
            device = device(directory, device);
        }
        for (long process : processes) {
            usage.addDeleted(Path.of("/proc/" + process + "/fd"), device);
        }
        return usage.bytes;
    }

    private final HashSet<Long> counted = new HashSet<>();

    /** Opens one directory at a time, whatever the depth. */
    private void addTree(Path root) {
        var directories = new ArrayDeque<Path>();
        directories.add(root);
        while (!directories.isEmpty() && bytes <= limit) {
            try (DirectoryStream<Path> entries =
                    Files.newDirectoryStream(directories.removeLast())) {
                for (var entry : entries) {
                    if (count(entry)) {
                        directories.add(entry);
                    }
                    if (bytes > limit) {
                        return;
                    }
                }
            } catch (IOException | DirectoryIteratorException | InvalidPathException e) {
                // Deleted concurrently, or made unreadable by the agent.
            }
        }
    }

    /** Counts an entry; returns whether it is a directory to descend into. */
    private boolean count(Path entry) {
        bytes += ENTRY_BYTES;
        if (isTooLong(entry.toString())) {
            bytes = limit + 1; // too deep to open by path, for programs and for us
            return false;
        }
        try {
            var status = FileStatus.of(entry);
            // All hard links of a file are in these directories, as links cannot cross mounts.
            bytes += status.bytes() / (status.isDirectory() ? 1 : status.links());
            return status.isDirectory();
        } catch (IOException e) {
            return false; // deleted concurrently
        }
    }

    private static boolean isTooLong(String path) {
        return path.length() > MAX_PATH / 3
                && path.getBytes(StandardCharsets.UTF_8).length > MAX_PATH;
    }

    private void addDeleted(Path descriptors, long device) {
        try (DirectoryStream<Path> entries = Files.newDirectoryStream(descriptors)) {
            for (var entry : entries) {
                if (Files.readSymbolicLink(entry).toString().endsWith(" (deleted)")) {
                    var status = FileStatus.ofDescriptor(entry);
                    if (status.device() == device && counted.add(status.inode())) {
                        bytes += status.bytes();
                    }
                }
            }
        } catch (IOException | DirectoryIteratorException | InvalidPathException e) {
            // The process has exited, or may not be inspected.
        }
    }

    private static long device(Path directory, long fallback) {
        try {
            return FileStatus.of(directory).device();
        } catch (IOException e) {
            return fallback;
        }
    }
}

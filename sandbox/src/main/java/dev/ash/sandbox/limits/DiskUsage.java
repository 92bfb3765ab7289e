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
 * How much of the disk some folders take, and the files that running processes have deleted but not
 * closed. Agents change the folders meanwhile, so it is a good guess; links are not followed. It
 * stops as soon as the limit is passed, so no agent can make it count for ever.
 */
final class DiskUsage {
    /** What a name costs beside its content, so that empty files come to an end as well. */
    private static final long ENTRY_BYTES = 256;

    /** In bytes; the kernel refuses 4096. */
    private static final int LONGEST_PATH = 4000;

    private final long limit;
    private long bytes;

    private DiskUsage(long limit) {
        this.limit = limit;
    }

    /** Exact up to the limit; above it, some number that is above it. */
    static long measure(Collection<Path> folders, Collection<Long> processes, long limit) {
        var usage = new DiskUsage(limit);
        long device = 0;
        for (var folder : folders) {
            usage.tree(folder);
            device = device(folder, device);
        }
        for (long process : processes) {
            usage.deleted(Path.of("/proc/" + process + "/fd"), device);
        }
        return usage.bytes;
    }

    private final HashSet<Long> counted = new HashSet<>();

    /** One folder is open at a time, however deep they lie. */
    private void tree(Path root) {
        var folders = new ArrayDeque<Path>();
        folders.add(root);
        while (!folders.isEmpty() && bytes <= limit) {
            try (DirectoryStream<Path> entries = Files.newDirectoryStream(folders.removeLast())) {
                for (var entry : entries) {
                    if (count(entry)) {
                        folders.add(entry);
                    }
                    if (bytes > limit) {
                        return;
                    }
                }
            } catch (IOException | DirectoryIteratorException | InvalidPathException e) {
                // It was deleted just now, or the agent forbids us to look.
            }
        }
    }

    /** Whether there is more behind it. */
    private boolean count(Path entry) {
        bytes += ENTRY_BYTES;
        if (isTooLong(entry.toString())) {
            bytes = limit + 1; // so deep that no program finds what is there, and neither do we
            return false;
        }
        try {
            var status = FileStatus.of(entry);
            // All names of a file lie in these folders, for links cannot cross mounts.
            bytes += status.bytes() / (status.folder() ? 1 : status.names());
            return status.folder();
        } catch (IOException e) {
            return false; // deleted just now
        }
    }

    private static boolean isTooLong(String path) {
        return path.length() > LONGEST_PATH / 3
                && path.getBytes(StandardCharsets.UTF_8).length > LONGEST_PATH;
    }

    private void deleted(Path descriptors, long device) {
        try (DirectoryStream<Path> entries = Files.newDirectoryStream(descriptors)) {
            for (var entry : entries) {
                if (Files.readSymbolicLink(entry).toString().endsWith(" (deleted)")) {
                    var status = FileStatus.behind(entry);
                    if (status.device() == device && counted.add(status.file())) {
                        bytes += status.bytes();
                    }
                }
            }
        } catch (IOException | DirectoryIteratorException | InvalidPathException e) {
            // The process has ended, or is not ours to look at.
        }
    }

    private static long device(Path folder, long otherwise) {
        try {
            return FileStatus.of(folder).device();
        } catch (IOException e) {
            return otherwise;
        }
    }
}

package dev.ash.sandbox.files;

import dev.ash.sandbox.launch.Spawner;
import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.UUID;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Builds directories of programs that all sandboxes can read and none can write. Files are
 * hard-linked if their permissions allow it, and copied otherwise.
 */
final class SharedDirectory {
    /** Fills a directory before it is published. */
    interface Filler {
        void fill(Path draft) throws IOException;
    }

    /** Creates the directory atomically, even if two servers do so concurrently. */
    static Path publish(Path directory, Spawner spawner, Filler filler) throws IOException {
        if (Files.isDirectory(directory)) {
            return directory;
        }
        var draft =
                directory.resolveSibling("." + directory.getFileName() + "-" + UUID.randomUUID());
        try {
            filler.fill(FileModes.createDirectory(draft, FileModes.READABLE));
            Files.move(draft, directory, StandardCopyOption.ATOMIC_MOVE);
        } catch (IOException e) {
            if (!Files.isDirectory(directory)) {
                throw e;
            }
        } finally {
            new DirectoryTrees(spawner).delete(draft);
        }
        return directory;
    }

    static void addFile(Path source, Path target) throws IOException {
        if (isLinkable(source) && link(source, target)) {
            return;
        }
        Files.copy(source, target);
        FileModes.set(target, FileModes.isExecutable(source) ? FileModes.READABLE : "rw-r--r--");
    }

    /**
     * Adds a directory tree except excluded paths; replaces links that lead out of it by their
     * targets.
     */
    static void addTree(Path source, Path target, Predicate<Path> excluded) throws IOException {
        Files.walkFileTree(
                source,
                new SimpleFileVisitor<>() {
                    @Override
                    public FileVisitResult preVisitDirectory(
                            Path directory, BasicFileAttributes attributes) throws IOException {
                        if (excluded.test(source.relativize(directory))) {
                            return FileVisitResult.SKIP_SUBTREE;
                        }
                        FileModes.createDirectory(
                                target.resolve(source.relativize(directory)), FileModes.READABLE);
                        return FileVisitResult.CONTINUE;
                    }

                    @Override
                    public FileVisitResult visitFile(Path file, BasicFileAttributes attributes)
                            throws IOException {
                        var relative = source.relativize(file);
                        if (excluded.test(relative)) {
                            return FileVisitResult.CONTINUE;
                        }
                        var copy = target.resolve(relative);
                        if (attributes.isSymbolicLink() && staysInside(source, file)) {
                            Files.copy(file, copy, LinkOption.NOFOLLOW_LINKS);
                        } else if (Files.isRegularFile(file)) {
                            addFile(file.toRealPath(), copy);
                        }
                        return FileVisitResult.CONTINUE;
                    }
                });
    }

    /** Whether any user can enter every parent directory and read the file. */
    static boolean isReadableByAll(Path file) throws IOException {
        if ((FileModes.mode(file) & 04) == 0) {
            return false;
        }
        for (@Nullable Path path = file.getParent(); path != null; path = path.getParent()) {
            if ((FileModes.mode(path) & 01) == 0) {
                return false;
            }
        }
        return true;
    }

    /** Whether the permissions of the original are suitable, as a hard link shares them. */
    private static boolean isLinkable(Path source) throws IOException {
        int mode = FileModes.mode(source);
        boolean readable = (mode & 04) != 0;
        boolean writableByOthers = (mode & 022) != 0;
        boolean runnable = (mode & 0100) == 0 || (mode & 01) != 0;
        return readable && runnable && !writableByOthers && (mode & 06000) == 0;
    }

    private static boolean link(Path source, Path target) throws IOException {
        try {
            Files.createLink(target, source);
            return true;
        } catch (FileAlreadyExistsException e) {
            throw e;
        } catch (IOException | UnsupportedOperationException e) {
            return false; // another file system, or not permitted
        }
    }

    private static boolean staysInside(Path root, Path link) throws IOException {
        var target = Files.readSymbolicLink(link);
        return !target.isAbsolute() && link.resolveSibling(target).normalize().startsWith(root);
    }

    private SharedDirectory() {}
}

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
 * Programs that all sandboxes may read and none may write, put together once. A file is hard-linked
 * where its permissions allow that, and copied otherwise.
 */
final class SharedFolder {
    /** Puts files into a folder that nobody sees yet. */
    interface Filling {
        void into(Path draft) throws IOException;
    }

    /** Makes the folder whole or not at all, even if two servers do so at once. */
    static Path publish(Path folder, Spawner spawner, Filling filling) throws IOException {
        if (Files.isDirectory(folder)) {
            return folder;
        }
        var draft = folder.resolveSibling("." + folder.getFileName() + "-" + UUID.randomUUID());
        try {
            filling.into(Modes.folder(draft, Modes.SHOWN));
            Files.move(draft, folder, StandardCopyOption.ATOMIC_MOVE);
        } catch (IOException e) {
            if (!Files.isDirectory(folder)) {
                throw e;
            }
        } finally {
            new Trees(spawner).delete(draft);
        }
        return folder;
    }

    static void addFile(Path source, Path target) throws IOException {
        if (isFitToLink(source) && link(source, target)) {
            return;
        }
        Files.copy(source, target);
        Modes.set(target, Modes.isExecutable(source) ? Modes.SHOWN : "rw-r--r--");
    }

    /** All below a folder but what is left out; links that lead out of it become what they show. */
    static void addTree(Path source, Path target, Predicate<Path> leftOut) throws IOException {
        Files.walkFileTree(
                source,
                new SimpleFileVisitor<>() {
                    @Override
                    public FileVisitResult preVisitDirectory(
                            Path folder, BasicFileAttributes attributes) throws IOException {
                        if (leftOut.test(source.relativize(folder))) {
                            return FileVisitResult.SKIP_SUBTREE;
                        }
                        Modes.folder(target.resolve(source.relativize(folder)), Modes.SHOWN);
                        return FileVisitResult.CONTINUE;
                    }

                    @Override
                    public FileVisitResult visitFile(Path file, BasicFileAttributes attributes)
                            throws IOException {
                        var relative = source.relativize(file);
                        if (leftOut.test(relative)) {
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

    /** Whether any user can enter every folder on the way and read the file itself. */
    static boolean isReadableByAll(Path file) throws IOException {
        if ((Modes.mode(file) & 04) == 0) {
            return false;
        }
        for (@Nullable Path path = file.getParent(); path != null; path = path.getParent()) {
            if ((Modes.mode(path) & 01) == 0) {
                return false;
            }
        }
        return true;
    }

    /** A link shares its permissions with the original, so these must be right as they are. */
    private static boolean isFitToLink(Path source) throws IOException {
        int mode = Modes.mode(source);
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
            return false; // another file system, or not ours to link
        }
    }

    private static boolean staysInside(Path root, Path link) throws IOException {
        var target = Files.readSymbolicLink(link);
        return !target.isAbsolute() && link.resolveSibling(target).normalize().startsWith(root);
    }

    private SharedFolder() {}
}

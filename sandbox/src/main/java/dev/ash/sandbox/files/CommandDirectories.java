package dev.ash.sandbox.files;

import dev.ash.sandbox.launch.HostUser;
import java.io.IOException;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.Optional;
import java.util.Set;

/**
 * Creates and deletes the control directories of confined commands, which only the server can
 * access.
 */
public final class CommandDirectories {
    private static final Logger LOG = System.getLogger(CommandDirectories.class.getName());

    private final Path root;

    public CommandDirectories(DataLayout layout) {
        this.root = layout.commands();
    }

    public Path create(String name) throws IOException {
        FileModes.createDirectory(root, FileModes.OWNER_ONLY);
        return FileModes.createDirectory(root.resolve(name), FileModes.OWNER_ONLY);
    }

    /** Deletes a directory, which contains only files of the server. */
    public void delete(String name) {
        var directory = root.resolve(name);
        try (DirectoryStream<Path> files = Files.newDirectoryStream(directory)) {
            for (var file : files) {
                Files.delete(file);
            }
            Files.delete(directory);
        } catch (IOException e) {
            LOG.log(Level.WARNING, "Cannot delete control directory {0}: {1}", directory, e);
        }
    }

    public void deleteAllExcept(Set<String> names) {
        if (!Files.isDirectory(root, LinkOption.NOFOLLOW_LINKS)) {
            return;
        }
        try (DirectoryStream<Path> directories = Files.newDirectoryStream(root)) {
            for (var directory : directories) {
                var name = directory.getFileName().toString();
                if (!names.contains(name)) {
                    delete(name);
                }
            }
        } catch (IOException e) {
            LOG.log(Level.WARNING, "Cannot delete control directories in {0}: {1}", root, e);
        }
    }

    /**
     * Permits a user to read a file that is passed as an open descriptor. The user cannot enter the
     * file's directory, so it cannot open the file by its path.
     */
    public static void allowReading(Path file, Optional<HostUser> user) throws IOException {
        if (user.isPresent()) {
            Files.setAttribute(file, "unix:gid", user.get().gid(), LinkOption.NOFOLLOW_LINKS);
        }
        FileModes.set(file, user.isPresent() ? "rw-r-----" : "rw-------");
    }
}

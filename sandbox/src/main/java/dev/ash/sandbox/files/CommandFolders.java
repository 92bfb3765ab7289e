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

/** The control folders of confined commands. Only the server sees them. */
public final class CommandFolders {
    private static final Logger LOG = System.getLogger(CommandFolders.class.getName());

    private final Path root;

    public CommandFolders(DataLayout layout) {
        this.root = layout.commands();
    }

    public Path make(String name) throws IOException {
        Modes.folder(root, Modes.OWNER_ONLY);
        return Modes.folder(root.resolve(name), Modes.OWNER_ONLY);
    }

    /** Files alone lie in it, all of them the server's. */
    public void delete(String name) {
        var folder = root.resolve(name);
        try (DirectoryStream<Path> files = Files.newDirectoryStream(folder)) {
            for (var file : files) {
                Files.delete(file);
            }
            Files.delete(folder);
        } catch (IOException e) {
            LOG.log(Level.WARNING, "Control folder {0} remains: {1}", folder, e);
        }
    }

    public void deleteAllBut(Set<String> names) {
        if (!Files.isDirectory(root, LinkOption.NOFOLLOW_LINKS)) {
            return;
        }
        try (DirectoryStream<Path> folders = Files.newDirectoryStream(root)) {
            for (var folder : folders) {
                var name = folder.getFileName().toString();
                if (!names.contains(name)) {
                    delete(name);
                }
            }
        } catch (IOException e) {
            LOG.log(Level.WARNING, "Control folders in {0} remain: {1}", root, e);
        }
    }

    /**
     * Lets a user read a file that is passed as an open descriptor. The folder that it lies in
     * stays closed to that user, so nobody can open it by its path.
     */
    public static void letRead(Path file, Optional<HostUser> user) throws IOException {
        if (user.isPresent()) {
            Files.setAttribute(file, "unix:gid", user.get().gid(), LinkOption.NOFOLLOW_LINKS);
        }
        Modes.set(file, user.isPresent() ? "rw-r-----" : "rw-------");
    }
}

package dev.ash.sandbox.files;

import dev.ash.sandbox.launch.HostUser;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;

/** Sets permissions and owners of files, regardless of the umask and without following links. */
final class FileModes {
    static final String OWNER_ONLY = "rwx------";
    static final String TRAVERSABLE = "rwx--x--x";
    static final String READABLE = "rwxr-xr-x";

    static Path createDirectory(Path path, String permissions) throws IOException {
        Files.createDirectories(path);
        return set(path, permissions);
    }

    static Path set(Path path, String permissions) throws IOException {
        Files.setPosixFilePermissions(path, PosixFilePermissions.fromString(permissions));
        return path;
    }

    static void changeOwner(Path path, OptionalInt uid) throws IOException {
        changeOwner(path, HostUser.dedicated(uid));
    }

    static void changeOwner(Path path, Optional<HostUser> user) throws IOException {
        if (user.isPresent()) {
            Files.setAttribute(path, "unix:gid", user.get().gid(), LinkOption.NOFOLLOW_LINKS);
            Files.setAttribute(path, "unix:uid", user.get().uid(), LinkOption.NOFOLLOW_LINKS);
        }
    }

    static int owner(Path path) throws IOException {
        return (Integer) Files.getAttribute(path, "unix:uid", LinkOption.NOFOLLOW_LINKS);
    }

    static int mode(Path path) throws IOException {
        return (Integer) Files.getAttribute(path, "unix:mode", LinkOption.NOFOLLOW_LINKS);
    }

    static boolean isExecutable(Path file) throws IOException {
        return permissions(file).contains(PosixFilePermission.OWNER_EXECUTE);
    }

    static Set<PosixFilePermission> permissions(Path path) throws IOException {
        return Files.getPosixFilePermissions(path, LinkOption.NOFOLLOW_LINKS);
    }

    private FileModes() {}
}

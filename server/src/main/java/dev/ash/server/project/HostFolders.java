package dev.ash.server.project;

import dev.ash.protocol.ApiException;
import dev.ash.protocol.ErrorCode;
import dev.ash.protocol.TenantId;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Decides whether a client may name a folder of the host: it must lie below a root of the client's
 * tenant, also after all links are followed, with no hidden folder on the way. A home directory and
 * the server's data directory are open to nobody.
 */
public final class HostFolders {
    /** For a server that opens no folder. */
    public static final HostFolders NONE =
            new HostFolders(new Homes(List.of(), Path.of("/dev/null")), Path.of("/"), 0);

    private static final int MAX_LENGTH = 4096;

    private final Homes homes;
    private final Path dataDir;
    private final int serverUid;

    HostFolders(Homes homes, Path dataDir, int serverUid) {
        this.homes = homes;
        this.dataDir = dataDir;
        this.serverUid = serverUid;
    }

    public static HostFolders of(Map<String, String> environment, Path dataDir) throws IOException {
        var probe = Files.createTempFile(dataDir, ".owner", "");
        try {
            int uid = (Integer) Files.getAttribute(probe, "unix:uid", LinkOption.NOFOLLOW_LINKS);
            return new HostFolders(Homes.of(environment), dataDir.toRealPath(), uid);
        } finally {
            Files.delete(probe);
        }
    }

    /** Whom the files belong to that the server makes. */
    public int serverUid() {
        return serverUid;
    }

    Path dataDir() {
        return dataDir;
    }

    GitUsers gitUsers() {
        return new GitUsers(homes);
    }

    /**
     * What a client names a folder for.
     *
     * @param field the field of the request
     * @param hint what to do where no folder is open
     */
    public record Purpose(String field, String hint) {
        public ApiException invalid(String why) {
            return ApiException.invalid(field, why);
        }

        ApiException notAllowed(String why) {
            return new ApiException(ErrorCode.PATH_NOT_ALLOWED, field + ": " + why);
        }
    }

    /** The real location of the folder. */
    public Path admit(TenantId tenant, String path, Roots open, Purpose purpose) {
        var request = new Request(path, open.setting(), open.of(tenant), purpose);
        if (request.roots().isEmpty()) {
            throw purpose.notAllowed(
                    "no folder of this server's host is open to tenant \"%s\": %s names none; %s"
                            .formatted(tenant, open.setting(), purpose.hint()));
        }
        var named = request.parsed();
        // Before the disk is touched, so that nobody learns what exists elsewhere.
        request.requireInside(named);
        requireNotReserved(named, request);
        var real = real(named, request);
        request.requireInside(real);
        requireNotReserved(real, request);
        return real;
    }

    private record Request(String path, String setting, List<Path> roots, Purpose purpose) {
        Path parsed() {
            try {
                if (path.startsWith("/") && path.length() <= MAX_LENGTH) {
                    return Path.of(path).normalize();
                }
            } catch (InvalidPathException e) {
                // reported below
            }
            throw purpose.invalid("must be the absolute path of a folder on the server's host");
        }

        void requireInside(Path folder) {
            var above =
                    roots.stream()
                            .flatMap(root -> Stream.of(root, realOrSame(root)))
                            .filter(folder::startsWith)
                            .toList();
            if (above.isEmpty()) {
                throw refused(
                        "does not lie in a folder that is open to its tenant: %s. %s names others"
                                .formatted(
                                        roots.stream()
                                                .map(Path::toString)
                                                .collect(Collectors.joining(", ")),
                                        setting));
            }
            if (above.stream().allMatch(root -> isHidden(root.relativize(folder)))) {
                throw refused(
                        "has a name that starts with a dot below the folders of %s. Hidden folders hold settings and keys; name another folder"
                                .formatted(setting));
            }
        }

        ApiException refused(String why) {
            return purpose.notAllowed("\"%s\" %s".formatted(path, why));
        }
    }

    private void requireNotReserved(Path folder, Request request) {
        if (folder.startsWith(dataDir) || dataDir.startsWith(folder)) {
            throw request.refused(
                    "must neither hold nor lie in the server's data directory, whatever %s says"
                            .formatted(request.setting()));
        }
        if (homes.liesIn(folder)) {
            throw request.refused(
                    "is a home directory, or holds one, and no client works in it whatever %s says. Name a folder inside"
                            .formatted(request.setting()));
        }
    }

    private static Path real(Path named, Request request) {
        try {
            return named.toRealPath();
        } catch (IOException e) {
            // Whether a link leads to something that exists outside of the roots is not revealed.
            request.requireInside(existingPart(named));
            throw request.purpose()
                    .invalid(
                            "\"%s\" does not exist, or the server cannot open it"
                                    .formatted(request.path()));
        }
    }

    /** The real location of the last folder on the way; the file system's root for a bad link. */
    private static Path existingPart(Path named) {
        for (var at = named; at != null; at = at.getParent()) {
            try {
                return at.toRealPath();
            } catch (IOException e) {
                if (Files.isSymbolicLink(at)) {
                    break;
                }
            }
        }
        return Path.of("/");
    }

    private static boolean isHidden(Path below) {
        for (var name : below) {
            if (name.toString().startsWith(".")) {
                return true;
            }
        }
        return false;
    }

    private static Path realOrSame(Path root) {
        try {
            return root.toRealPath();
        } catch (IOException e) {
            return root; // it does not exist: nothing lies in it
        }
    }
}

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
 * Decides whether a client may use a directory of the host: it must be below a root of the client's
 * tenant, both as named and after resolving links, without a hidden directory in between. Home
 * directories and the server's data directory are never admitted.
 */
public final class HostDirectories {
    /** For a server that admits no directory. */
    public static final HostDirectories NONE =
            new HostDirectories(
                    new HomeDirectories(List.of(), Path.of("/dev/null")), Path.of("/"), 0);

    private static final int MAX_LENGTH = 4096;

    private final HomeDirectories homes;
    private final Path dataDir;
    private final int serverUid;

    HostDirectories(HomeDirectories homes, Path dataDir, int serverUid) {
        this.homes = homes;
        this.dataDir = dataDir;
        this.serverUid = serverUid;
    }

    public static HostDirectories of(Map<String, String> environment, Path dataDir)
            throws IOException {
        var probe = Files.createTempFile(dataDir, ".owner", "");
        try {
            int uid = (Integer) Files.getAttribute(probe, "unix:uid", LinkOption.NOFOLLOW_LINKS);
            return new HostDirectories(HomeDirectories.of(environment), dataDir.toRealPath(), uid);
        } finally {
            Files.delete(probe);
        }
    }

    /** Returns the owner of files that the server creates. */
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
     * The purpose of a request for a directory.
     *
     * @param field the field of the request, for error messages
     * @param hint the remedy if the tenant has no roots
     */
    public record Purpose(String field, String hint) {
        public ApiException invalid(String problem) {
            return ApiException.invalid(field, problem);
        }

        ApiException notAllowed(String reason) {
            return new ApiException(ErrorCode.PATH_NOT_ALLOWED, field + ": " + reason);
        }
    }

    /** Checks the path and returns the real path of the directory. */
    public Path admit(TenantId tenant, String path, Roots roots, Purpose purpose) {
        var request = new Request(path, roots.setting(), roots.of(tenant), purpose);
        if (request.roots().isEmpty()) {
            throw purpose.notAllowed(
                    "tenant \"%s\" may not use any directory of the server's host: %s has no entry for it; %s"
                            .formatted(tenant, roots.setting(), purpose.hint()));
        }
        var named = request.parsed();
        // Before accessing the disk: do not reveal which other paths exist.
        request.requireInside(named);
        requireNotReserved(named, request);
        var real = realPath(named, request);
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
            throw purpose.invalid("must be the absolute path of a directory on the server's host");
        }

        void requireInside(Path directory) {
            var enclosing =
                    roots.stream()
                            .flatMap(root -> Stream.of(root, realOrSame(root)))
                            .filter(directory::startsWith)
                            .toList();
            if (enclosing.isEmpty()) {
                throw notAllowed(
                        "is not inside a directory that the tenant may use: %s. Add others to %s"
                                .formatted(
                                        roots.stream()
                                                .map(Path::toString)
                                                .collect(Collectors.joining(", ")),
                                        setting));
            }
            if (enclosing.stream().allMatch(root -> isHidden(root.relativize(directory)))) {
                throw notAllowed(
                        "contains a name that starts with a dot, below the directories of %s. Hidden directories hold settings and keys; use another directory"
                                .formatted(setting));
            }
        }

        ApiException notAllowed(String reason) {
            return purpose.notAllowed("\"%s\" %s".formatted(path, reason));
        }
    }

    private void requireNotReserved(Path directory, Request request) {
        if (directory.startsWith(dataDir) || dataDir.startsWith(directory)) {
            throw request.notAllowed(
                    "must neither contain nor be inside the server's data directory, whatever %s allows"
                            .formatted(request.setting()));
        }
        if (homes.isOrContainsHome(directory)) {
            throw request.notAllowed(
                    "is or contains a home directory, which clients cannot use, whatever %s allows. Use a directory inside it"
                            .formatted(request.setting()));
        }
    }

    private static Path realPath(Path named, Request request) {
        try {
            return named.toRealPath();
        } catch (IOException e) {
            // Do not reveal whether the target of a link outside the roots exists.
            request.requireInside(existingPart(named));
            throw request.purpose()
                    .invalid(
                            "\"%s\" does not exist, or the server cannot open it"
                                    .formatted(request.path()));
        }
    }

    /** Returns the real path of the longest existing part; {@code /} for a broken link. */
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

    private static boolean isHidden(Path relative) {
        for (var name : relative) {
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
            return root; // does not exist, so it contains nothing
        }
    }
}

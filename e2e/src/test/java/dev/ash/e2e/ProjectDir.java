package dev.ash.e2e;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.Map;

/**
 * Project directory owned by a user other than root, below a directory that a server may open to
 * sessions.
 */
record ProjectDir(Path path) {
    static final int UID = 4711;
    static final int GID = 4712;

    static ProjectDir create(TestDirectory directory, String name, Map<String, String> files) {
        var path = directory.write("projects/" + name, files);
        try (var all = Files.walk(path)) {
            for (var one : (Iterable<Path>) all::iterator) {
                setOwner(one);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return new ProjectDir(path);
    }

    /** Returns project roots that include a missing directory. */
    static String roots(TestDirectory directory) {
        return "/nowhere:" + directory.path().resolve("projects");
    }

    static boolean isRoot() {
        return "root".equals(System.getProperty("user.name"));
    }

    private static void setOwner(Path path) throws IOException {
        if (isRoot()) {
            Files.setAttribute(path, "unix:gid", GID, LinkOption.NOFOLLOW_LINKS);
            Files.setAttribute(path, "unix:uid", UID, LinkOption.NOFOLLOW_LINKS);
        }
    }

    TestSession session(AshServer server, String agent) {
        return server.session(Map.of("agent", agent, "workingDirectory", path.toString()));
    }

    boolean hasProjectOwner(String name) throws IOException {
        return Files.getAttribute(path.resolve(name), "unix:uid")
                        .equals(Files.getAttribute(path, "unix:uid"))
                && Files.getAttribute(path.resolve(name), "unix:gid")
                        .equals(Files.getAttribute(path, "unix:gid"));
    }
}

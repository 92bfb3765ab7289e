package dev.ash.e2e;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.Map;

/** A folder of somebody who is not root, below one that a server may open to sessions. */
record ProjectDir(Path path) {
    static final int UID = 4711;
    static final int GID = 4712;

    static ProjectDir make(TestFolder folder, String name, Map<String, String> files) {
        var path = folder.write("projects/" + name, files);
        try (var all = Files.walk(path)) {
            for (var one : (Iterable<Path>) all::iterator) {
                give(one);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return new ProjectDir(path);
    }

    /** With a root that does not exist. */
    static String roots(TestFolder folder) {
        return "/nowhere:" + folder.path().resolve("projects");
    }

    static boolean isRoot() {
        return "root".equals(System.getProperty("user.name"));
    }

    private static void give(Path path) throws IOException {
        if (isRoot()) {
            Files.setAttribute(path, "unix:gid", GID, LinkOption.NOFOLLOW_LINKS);
            Files.setAttribute(path, "unix:uid", UID, LinkOption.NOFOLLOW_LINKS);
        }
    }

    TestSession session(AshServer server, String agent) {
        return server.session(Map.of("agent", agent, "workingDirectory", path.toString()));
    }

    boolean owns(String name) throws IOException {
        return Files.getAttribute(path.resolve(name), "unix:uid")
                        .equals(Files.getAttribute(path, "unix:uid"))
                && Files.getAttribute(path.resolve(name), "unix:gid")
                        .equals(Files.getAttribute(path, "unix:gid"));
    }
}

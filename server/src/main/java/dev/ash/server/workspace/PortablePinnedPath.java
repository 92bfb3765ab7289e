package dev.ash.server.workspace;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFileAttributes;

/**
 * Emulates pinning on systems other than Linux, for development: agents are not confined there.
 * Detects links, except one created between a check and the access.
 */
record PortablePinnedPath(Path path) implements PinnedPath {
    static PortablePinnedPath root(Path root) throws IOException {
        return new PortablePinnedPath(root.toRealPath());
    }

    @Override
    public PortablePinnedPath child(String name) throws IOException {
        var child = new PortablePinnedPath(path.resolve(name));
        child.attributes(); // fails if it does not exist
        return child;
    }

    @Override
    public void createDirectory(String name) throws IOException {
        Files.createDirectory(path.resolve(name));
    }

    @Override
    public void createLink(String name, String target) throws IOException {
        Files.createSymbolicLink(path.resolve(name), Path.of(target));
    }

    @Override
    public void rename(String from, String to) throws IOException {
        Files.move(path.resolve(from), path.resolve(to), StandardCopyOption.ATOMIC_MOVE);
    }

    @Override
    public void remove(String name) throws IOException {
        Files.delete(path.resolve(name));
    }

    @Override
    public PosixFileAttributes attributes() throws IOException {
        return Files.readAttributes(path, PosixFileAttributes.class, LinkOption.NOFOLLOW_LINKS);
    }

    @Override
    public void close() {}
}

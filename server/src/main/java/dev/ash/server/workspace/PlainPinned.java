package dev.ash.server.workspace;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFileAttributes;

/**
 * For development on systems other than Linux, where nothing confines an agent anyway: links are
 * seen, but one that appears between a look and a step is not.
 */
record PlainPinned(Path path) implements Pinned {
    static PlainPinned root(Path root) throws IOException {
        return new PlainPinned(root.toRealPath());
    }

    @Override
    public PlainPinned child(String name) throws IOException {
        var child = new PlainPinned(path.resolve(name));
        child.attributes(); // fails where there is none
        return child;
    }

    @Override
    public void makeFolder(String name) throws IOException {
        Files.createDirectory(path.resolve(name));
    }

    @Override
    public void makeLink(String name, String target) throws IOException {
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

package dev.ash.server.workspace;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFileAttributes;

/** Pins a path by an open file descriptor, and accesses it through {@code /proc/self/fd}. */
final class LinuxPinnedPath implements PinnedPath {
    private static final Path DESCRIPTORS = Path.of("/proc/self/fd");

    private final int descriptor;
    private boolean closed;

    private LinuxPinnedPath(int descriptor) {
        this.descriptor = descriptor;
    }

    static boolean isSupported() {
        return Files.isDirectory(DESCRIPTORS) && System.getProperty("os.name").equals("Linux");
    }

    static LinuxPinnedPath root(Path root) throws IOException {
        return new LinuxPinnedPath(
                Posix.openPath(Posix.CURRENT_DIRECTORY, root.toAbsolutePath().toString()));
    }

    @Override
    public Path path() {
        return DESCRIPTORS.resolve(Integer.toString(open()));
    }

    @Override
    public LinuxPinnedPath child(String name) throws IOException {
        return new LinuxPinnedPath(Posix.openPath(open(), name));
    }

    @Override
    public void createDirectory(String name) throws IOException {
        Posix.createDirectory(open(), name);
    }

    @Override
    public void createLink(String name, String target) throws IOException {
        Posix.createLink(open(), name, target);
    }

    @Override
    public void rename(String from, String to) throws IOException {
        Posix.rename(open(), from, to);
    }

    @Override
    public void remove(String name) throws IOException {
        Posix.remove(open(), name);
    }

    @Override
    public PosixFileAttributes attributes() throws IOException {
        return Files.readAttributes(path(), PosixFileAttributes.class);
    }

    @Override
    public void close() {
        if (!closed) {
            closed = true; // the number may be reused immediately
            Posix.close(descriptor);
        }
    }

    private int open() {
        if (closed) {
            throw new IllegalStateException("closed");
        }
        return descriptor;
    }
}

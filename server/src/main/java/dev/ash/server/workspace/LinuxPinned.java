package dev.ash.server.workspace;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFileAttributes;

/** Pinned by a descriptor of the kernel's; {@code /proc/self/fd} makes a path of it. */
final class LinuxPinned implements Pinned {
    private static final Path DESCRIPTORS = Path.of("/proc/self/fd");

    private final int descriptor;
    private boolean closed;

    private LinuxPinned(int descriptor) {
        this.descriptor = descriptor;
    }

    static boolean isPossible() {
        return Files.isDirectory(DESCRIPTORS) && System.getProperty("os.name").equals("Linux");
    }

    static LinuxPinned root(Path root) throws IOException {
        return new LinuxPinned(
                Posix.openPath(Posix.CURRENT_FOLDER, root.toAbsolutePath().toString()));
    }

    @Override
    public Path path() {
        return DESCRIPTORS.resolve(Integer.toString(open()));
    }

    @Override
    public LinuxPinned child(String name) throws IOException {
        return new LinuxPinned(Posix.openPath(open(), name));
    }

    @Override
    public void makeFolder(String name) throws IOException {
        Posix.makeFolder(open(), name);
    }

    @Override
    public void makeLink(String name, String target) throws IOException {
        Posix.makeLink(open(), name, target);
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
            closed = true; // the number may be another file's the moment after
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

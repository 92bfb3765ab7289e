package dev.ash.server.workspace;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.OptionalInt;

/**
 * A folder of the host that was reached without following a link. It stays the same folder until it
 * is closed, whatever is put in its place meanwhile, and so do its owner and its files.
 */
public final class HeldFolder implements AutoCloseable {
    private final Pinned pinned;

    private HeldFolder(Pinned pinned) {
        this.pinned = pinned;
    }

    /** The path is absolute and real. */
    public static HeldFolder open(Path folder) throws IOException {
        return new HeldFolder(Pinned.openWithoutLinks(folder));
    }

    public int uid() throws IOException {
        return (Integer) Files.getAttribute(pinned.path(), "unix:uid");
    }

    public int gid() throws IOException {
        return (Integer) Files.getAttribute(pinned.path(), "unix:gid");
    }

    public FileTree files() {
        return new FileTree(() -> pinned.child("."), OptionalInt.empty());
    }

    @Override
    public void close() {
        pinned.close();
    }
}

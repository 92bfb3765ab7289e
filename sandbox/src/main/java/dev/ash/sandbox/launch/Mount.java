package dev.ash.sandbox.launch;

import java.nio.file.Path;

/** A file or folder of the host as a sandbox sees it. */
public record Mount(Path source, String target, Access access) {
    /** What a sandbox may do with it. */
    public enum Access {
        READ,
        WRITE,
        /** To write in, and empty when the launch begins: nothing can lie in a mount's way. */
        WRITE_EMPTY,
        /** A new file system in memory; there is no source. */
        TEMPORARY
    }

    public static Mount readOnly(Path source, String target) {
        return new Mount(source, target, Access.READ);
    }

    public static Mount empty(Path source, String target) {
        return new Mount(source, target, Access.WRITE_EMPTY);
    }

    public static Mount temporary(String target) {
        return new Mount(Path.of("/"), target, Access.TEMPORARY);
    }

    public static Mount writable(Path source, String target) {
        return new Mount(source, target, Access.WRITE);
    }
}

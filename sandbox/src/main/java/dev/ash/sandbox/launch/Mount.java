package dev.ash.sandbox.launch;

import java.nio.file.Path;

/** A file or directory of the host mounted in a sandbox. */
public record Mount(Path source, String target, Access access) {
    /** The access of the sandbox. */
    public enum Access {
        READ,
        WRITE,
        /** Writable, and empty at launch: it may contain other mount points. */
        WRITE_EMPTY,
        /** A new tmpfs; the source is ignored. */
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

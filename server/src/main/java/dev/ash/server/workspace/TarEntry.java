package dev.ash.server.workspace;

/** The header of an entry in a tar archive; {@code target} is the target of a link. */
record TarEntry(Kind kind, String name, long size, boolean executable, String target) {
    enum Kind {
        FILE,
        DIRECTORY,
        LINK
    }
}

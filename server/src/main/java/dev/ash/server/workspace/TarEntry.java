package dev.ash.server.workspace;

/** What a tar archive says of one thing in it; {@code target} is where a link leads. */
record TarEntry(Kind kind, String name, long size, boolean executable, String target) {
    enum Kind {
        FILE,
        FOLDER,
        LINK
    }
}

package dev.ash.server.repository;

/**
 * Some lines of a file.
 *
 * @param path absolute, as the session's agent sees it
 * @param content the lines as they are in the file; empty if it is binary
 * @param size bytes of the whole file
 * @param lines of the whole file
 * @param offset how many lines come before these
 * @param count how many lines these are
 */
public record TextPage(
        String path, String content, long size, int lines, int offset, int count, boolean binary) {

    /** Of a binary file nothing is shown, so nothing follows either. */
    public boolean hasMore() {
        return !binary && offset + count < lines;
    }
}

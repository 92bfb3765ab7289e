package dev.ash.server.repository;

/**
 * A range of lines of a file.
 *
 * @param path the absolute path as the session's agent sees it
 * @param content the lines, unchanged; empty for a binary file
 * @param size the size of the whole file in bytes
 * @param lines the number of lines of the whole file
 * @param offset the number of lines before this range
 * @param count the number of lines in this range
 */
public record TextPage(
        String path, String content, long size, int lines, int offset, int count, boolean binary) {

    /** Whether more lines follow; never for a binary file. */
    public boolean hasMore() {
        return !binary && offset + count < lines;
    }
}

package dev.ash.protocol;

import java.util.List;
import java.util.stream.Stream;

/** The host directories that the server and {@code ash doctor} search for programs. */
public final class SystemDirectories {
    /** Searched after the directories of the {@code PATH}. */
    public static final List<String> DEFAULT =
            List.of("/usr/local/bin", "/usr/bin", "/bin", "/usr/sbin", "/sbin");

    private SystemDirectories() {}

    /** Returns the absolute directories of a {@code PATH}; relative ones are not safe to search. */
    public static Stream<String> fromPath(String path) {
        return Stream.of(path.split(":", -1)).filter(directory -> directory.startsWith("/"));
    }
}

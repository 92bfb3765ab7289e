package dev.ash.protocol;

import java.util.List;
import java.util.stream.Stream;

/** Where the programs of a host are: the server and {@code ash doctor} search the same folders. */
public final class SystemFolders {
    /** Searched after those of the PATH. */
    public static final List<String> USUAL =
            List.of("/usr/local/bin", "/usr/bin", "/bin", "/usr/sbin", "/sbin");

    private SystemFolders() {}

    /** The absolute folders of a PATH; relative ones depend on the current directory. */
    public static Stream<String> ofPath(String path) {
        return Stream.of(path.split(":", -1)).filter(folder -> folder.startsWith("/"));
    }
}

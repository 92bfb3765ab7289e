package dev.ash.sandbox.launch;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * The system's programs and libraries inside a sandbox: {@code /usr}, and beside it what the host
 * has, links into {@code /usr} on most systems, real folders on older ones.
 */
final class HostRoot {
    private static final List<String> BESIDE_USR =
            List.of("bin", "sbin", "lib", "lib32", "lib64", "libx32");

    static List<String> arguments(Path root) {
        var words = new ArrayList<>(List.of("--ro-bind", "/usr", "/usr"));
        for (var name : BESIDE_USR) {
            var path = root.resolve(name);
            if (Files.isSymbolicLink(path)) {
                words.addAll(List.of("--symlink", target(path), "/" + name));
            } else if (Files.isDirectory(path, LinkOption.NOFOLLOW_LINKS)) {
                words.addAll(List.of("--ro-bind", "/" + name, "/" + name));
            }
        }
        return words;
    }

    private static String target(Path link) {
        try {
            return Files.readSymbolicLink(link).toString();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private HostRoot() {}
}

package dev.ash.sandbox.launch;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * Mounts the system's programs and libraries into a sandbox: {@code /usr}, and the directories
 * beside it, which are links into {@code /usr} on most systems and real directories on older ones.
 */
final class SystemMounts {
    private static final List<String> BESIDE_USR =
            List.of("bin", "sbin", "lib", "lib32", "lib64", "libx32");

    static List<String> arguments(Path root) {
        var arguments = new ArrayList<>(List.of("--ro-bind", "/usr", "/usr"));
        for (var name : BESIDE_USR) {
            var path = root.resolve(name);
            if (Files.isSymbolicLink(path)) {
                arguments.addAll(List.of("--symlink", target(path), "/" + name));
            } else if (Files.isDirectory(path, LinkOption.NOFOLLOW_LINKS)) {
                arguments.addAll(List.of("--ro-bind", "/" + name, "/" + name));
            }
        }
        return arguments;
    }

    private static String target(Path link) {
        try {
            return Files.readSymbolicLink(link).toString();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private SystemMounts() {}
}

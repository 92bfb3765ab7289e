package dev.ash.sandbox.files;

import dev.ash.sandbox.launch.Mount;
import dev.ash.sandbox.launch.Spawner;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;

/**
 * The server's own Java, as sandboxes reach it.
 *
 * @param host where the host has it
 * @param inside where sandboxes have it
 */
public record JavaHome(Path host, Path inside) {
    private static final Path PLACE = Path.of("/opt/java");
    private static final Set<String> NOT_NEEDED_TO_RUN =
            Set.of("jmods", "legal", "man", "demo", "include", "lib/src.zip");

    /**
     * Used where it lies if sandboxes see that place or can have it bound; copied once if it lies
     * where their users cannot go, such as below somebody's home.
     */
    public static JavaHome prepare(
            Path javaHome, DataLayout layout, boolean ownUsers, Spawner spawner)
            throws IOException {
        var home = javaHome.toRealPath();
        if (home.startsWith("/usr")) {
            return new JavaHome(home, home);
        }
        if (!ownUsers || isReadableByAll(home)) {
            return new JavaHome(home, PLACE);
        }
        var hash = new Fingerprint().identity(home.resolve("lib/modules").toRealPath()).hex();
        var copy =
                SharedFolder.publish(
                        layout.runtime().resolve("java-" + hash),
                        spawner,
                        draft ->
                                SharedFolder.addTree(
                                        home,
                                        draft,
                                        path -> NOT_NEEDED_TO_RUN.contains(path.toString())));
        return new JavaHome(copy, PLACE);
    }

    public List<Mount> mounts() {
        return host.equals(inside) ? List.of() : List.of(Mount.readOnly(host, inside.toString()));
    }

    private static boolean isReadableByAll(Path home) throws IOException {
        return SharedFolder.isReadableByAll(home.resolve("lib/modules").toRealPath())
                && SharedFolder.isReadableByAll(home.resolve("bin/java").toRealPath());
    }
}

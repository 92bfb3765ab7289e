package dev.ash.sandbox.files;

import dev.ash.sandbox.launch.Mount;
import dev.ash.sandbox.launch.Spawner;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;

/**
 * The server's own Java installation, on the host and inside sandboxes.
 *
 * @param host path on the host
 * @param inside path inside sandboxes
 */
public record JavaHome(Path host, Path inside) {
    private static final Path SANDBOX_PATH = Path.of("/opt/java");
    private static final Set<String> EXCLUDED =
            Set.of("jmods", "legal", "man", "demo", "include", "lib/src.zip");

    /**
     * Prepares the installation: uses it in place if it is below {@code /usr}, mounts it if
     * sandboxes' users can read it, and otherwise copies it once, for example from a home
     * directory.
     */
    public static JavaHome prepare(
            Path javaHome, DataLayout layout, boolean dedicatedUsers, Spawner spawner)
            throws IOException {
        var home = javaHome.toRealPath();
        if (home.startsWith("/usr")) {
            return new JavaHome(home, home);
        }
        if (!dedicatedUsers || isReadableByAll(home)) {
            return new JavaHome(home, SANDBOX_PATH);
        }
        var hash = new InputHash().addIdentity(home.resolve("lib/modules").toRealPath()).hex();
        var copy =
                SharedDirectory.publish(
                        layout.runtime().resolve("java-" + hash),
                        spawner,
                        draft ->
                                SharedDirectory.addTree(
                                        home, draft, path -> EXCLUDED.contains(path.toString())));
        return new JavaHome(copy, SANDBOX_PATH);
    }

    public List<Mount> mounts() {
        return host.equals(inside) ? List.of() : List.of(Mount.readOnly(host, inside.toString()));
    }

    private static boolean isReadableByAll(Path home) throws IOException {
        return SharedDirectory.isReadableByAll(home.resolve("lib/modules").toRealPath())
                && SharedDirectory.isReadableByAll(home.resolve("bin/java").toRealPath());
    }
}

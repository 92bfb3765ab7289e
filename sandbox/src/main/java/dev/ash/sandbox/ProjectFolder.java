package dev.ash.sandbox;

import dev.ash.sandbox.launch.HostUser;
import java.nio.file.Path;
import java.util.Optional;

/**
 * A folder of the host that a sandbox works in, at its own path, instead of a workspace.
 *
 * @param path real and absolute
 * @param owner whom the sandbox runs as; absent where that is the server's own user
 * @param key which folder was found there: by the time it is mounted, another may have its name
 */
public record ProjectFolder(Path path, Optional<HostUser> owner, Object key) {}

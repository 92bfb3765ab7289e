package dev.ash.sandbox;

import dev.ash.sandbox.launch.HostUser;
import java.nio.file.Path;
import java.util.Optional;

/**
 * A directory of the host that a sandbox works in, mounted at its host path, in place of a
 * workspace.
 *
 * @param path real absolute path
 * @param owner user that the sandbox runs as; absent if that is the server's user
 * @param key file key of the directory, to detect a replacement before it is mounted
 */
public record ProjectDirectory(Path path, Optional<HostUser> owner, Object key) {}

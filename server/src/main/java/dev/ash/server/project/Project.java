package dev.ash.server.project;

import dev.ash.sandbox.ProjectDirectory;
import dev.ash.sandbox.launch.HostUser;
import java.nio.file.Path;
import java.util.Optional;

/**
 * A directory of the host that sessions may work in.
 *
 * @param path the absolute real path
 * @param owner the user of its sandboxes; absent if this is the server's own user
 * @param key identifies the directory that was checked, by its file key
 */
public record Project(Path path, Optional<HostUser> owner, Object key) {
    public ProjectDirectory directory() {
        return new ProjectDirectory(path, owner, key);
    }
}

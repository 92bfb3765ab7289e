package dev.ash.server.project;

import dev.ash.sandbox.ProjectFolder;
import dev.ash.sandbox.launch.HostUser;
import java.nio.file.Path;
import java.util.Optional;

/**
 * A folder that was found to be good to work in.
 *
 * @param path real and absolute
 * @param owner whom its sandboxes run as; absent where that is the server's own user
 * @param key which folder it was
 */
public record Project(Path path, Optional<HostUser> owner, Object key) {
    public ProjectFolder folder() {
        return new ProjectFolder(path, owner, key);
    }
}

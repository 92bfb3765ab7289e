package dev.ash.bridge.engine;

import java.nio.file.Path;

/**
 * Where things lie in this sandbox: the working copy, the agent as deployed, the home.
 *
 * @param isProject whether the workspace is a folder of the user's, and no copy of the agent
 */
public record SandboxFolders(Path workspace, Path agent, Path home, boolean isProject) {
    public SandboxFolders(Path workspace, Path agent, Path home) {
        this(workspace, agent, home, false);
    }

    /** The bridge's own corner of the home. */
    public Path state() {
        return home.resolve(".ash");
    }
}

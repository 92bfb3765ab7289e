package dev.ash.bridge.engine;

import java.nio.file.Path;

/**
 * The directories of this sandbox: the workspace, the agent as deployed, and the home.
 *
 * @param isProject whether the workspace is a directory of the user instead of a copy of the agent
 */
public record SandboxDirectories(Path workspace, Path agent, Path home, boolean isProject) {
    public SandboxDirectories(Path workspace, Path agent, Path home) {
        this(workspace, agent, home, false);
    }

    /** Returns the directory for the bridge's own files. */
    public Path state() {
        return home.resolve(".ash");
    }
}

package dev.ash.bridge.engine;

import java.nio.file.Path;

/** Where things lie in this sandbox: the working copy, the agent as deployed, the home. */
public record SandboxFolders(Path workspace, Path agent, Path home) {
    /** The bridge's own corner of the home. */
    public Path state() {
        return home.resolve(".ash");
    }
}

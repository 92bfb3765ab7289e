package dev.ash.bridge.engine;

import java.util.List;

/** A process with all it started. */
public final class ProcessTree {
    /**
     * Kills from the root down, so that no parent is left to fork anew; children are listed before
     * their parent dies, because afterwards they are no longer found as its children.
     */
    public static void kill(ProcessHandle root) {
        if (!root.isAlive()) {
            return; // its number may belong to somebody else by now
        }
        List<ProcessHandle> children = root.children().toList();
        root.destroyForcibly();
        for (var child : children) {
            kill(child);
        }
    }

    private ProcessTree() {}
}

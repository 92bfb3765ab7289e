package dev.ash.bridge.engine;

import java.util.List;

/** Kills a process together with its descendants. */
public final class ProcessTree {
    /**
     * Kills from the root down, so that no surviving parent can fork again. Lists children before
     * their parent exits: afterwards they are re-parented and cannot be found.
     */
    public static void kill(ProcessHandle root) {
        if (!root.isAlive()) {
            return; // the process id may have been reused
        }
        List<ProcessHandle> children = root.children().toList();
        root.destroyForcibly();
        for (var child : children) {
            kill(child);
        }
    }

    private ProcessTree() {}
}

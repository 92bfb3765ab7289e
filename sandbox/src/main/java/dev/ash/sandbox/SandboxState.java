package dev.ash.sandbox;

/** Where a sandbox is in its life: only files, starting, unclaimed, idle, in a turn. */
public enum SandboxState {
    COLD,
    WARMING,
    WARM,
    WAITING,
    RUNNING
}

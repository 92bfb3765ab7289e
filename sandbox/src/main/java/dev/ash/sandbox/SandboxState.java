package dev.ash.sandbox;

/** Lifecycle state of a sandbox: files only, starting, unclaimed, idle, or in a turn. */
public enum SandboxState {
    COLD,
    WARMING,
    WARM,
    WAITING,
    RUNNING
}

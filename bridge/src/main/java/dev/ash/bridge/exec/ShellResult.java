package dev.ash.bridge.exec;

/** How a shell command ended, and what it printed. */
public record ShellResult(int exitCode, String stdout, String stderr) {
    /** What {@code timeout(1)} returns too. */
    public static final int TIMED_OUT = 124;

    public static final int NOT_STARTED = 126;
}

package dev.ash.bridge.exec;

/** The exit code and output of a shell command. */
public record ShellResult(int exitCode, String stdout, String stderr) {
    /** The same code as of {@code timeout(1)}. */
    public static final int TIMED_OUT = 124;

    public static final int NOT_STARTED = 126;
}

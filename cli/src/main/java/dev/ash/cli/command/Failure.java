package dev.ash.cli.command;

/** A command that cannot go on: a message for the person, an exit code for the script. */
public final class Failure extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final int exitCode;
    private final String message;

    public Failure(int exitCode, String message) {
        super(message);
        this.exitCode = exitCode;
        this.message = message;
    }

    public Failure(String message) {
        this(ExitCode.FAILED, message);
    }

    public int exitCode() {
        return exitCode;
    }

    public String message() {
        return message;
    }
}

package dev.ash.cli.command;

/** The failure of a command, with a message for the user and an exit code. */
public final class CommandException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final int exitCode;
    private final String message;

    public CommandException(int exitCode, String message) {
        super(message);
        this.exitCode = exitCode;
        this.message = message;
    }

    public CommandException(String message) {
        this(ExitCode.FAILED, message);
    }

    public int exitCode() {
        return exitCode;
    }

    /** Returns the message; never null. */
    @Override
    public String getMessage() {
        return message;
    }
}

package dev.ash.cli.command;

/** A command that cannot go on: a sentence for the person, an exit code for the script. */
public final class Failure extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final int exitCode;
    private final String sentence;

    public Failure(int exitCode, String sentence) {
        super(sentence);
        this.exitCode = exitCode;
        this.sentence = sentence;
    }

    public Failure(String sentence) {
        this(ExitCode.FAILED, sentence);
    }

    public int exitCode() {
        return exitCode;
    }

    public String sentence() {
        return sentence;
    }
}

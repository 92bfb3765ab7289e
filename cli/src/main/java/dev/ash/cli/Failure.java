package dev.ash.cli;

/** A command that cannot go on: a sentence for the person, an exit code for the script. */
final class Failure extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final int exitCode;
    private final String sentence;

    Failure(int exitCode, String sentence) {
        super(sentence);
        this.exitCode = exitCode;
        this.sentence = sentence;
    }

    Failure(String sentence) {
        this(ExitCode.FAILED, sentence);
    }

    int exitCode() {
        return exitCode;
    }

    String sentence() {
        return sentence;
    }
}

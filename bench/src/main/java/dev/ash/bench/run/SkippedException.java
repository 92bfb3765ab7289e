package dev.ash.bench.run;

/** Thrown by a benchmark that cannot run on this machine; the message states the remedy. */
public final class SkippedException extends Exception {
    private static final long serialVersionUID = 1L;

    public SkippedException(String reason) {
        super(reason);
    }
}

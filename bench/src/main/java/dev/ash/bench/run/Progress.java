package dev.ash.bench.run;

import java.io.PrintStream;

/** Shows the progress of a benchmark on one line that is overwritten, if there is a terminal. */
public final class Progress {
    private static final long INTERVAL_NANOS = 200_000_000;

    private final PrintStream err;
    private final boolean isTerminal;
    private String benchmark = "";
    private long shown;

    public Progress(PrintStream err, boolean isTerminal) {
        this.err = err;
        this.isTerminal = isTerminal;
    }

    /** Begins a benchmark. */
    public void begin(String name) {
        benchmark = name;
        shown = 0;
        show("");
    }

    public void show(String step) {
        long now = System.nanoTime();
        if (isTerminal && now - shown >= INTERVAL_NANOS) {
            err.printf("\r\033[K%s: %s", benchmark, step);
            shown = now;
        } else if (!isTerminal && shown == 0) {
            err.println(benchmark + " …");
            shown = now;
        }
    }

    /** Removes the line. */
    public void end() {
        if (isTerminal) {
            err.print("\r\033[K");
        }
    }
}

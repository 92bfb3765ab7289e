package dev.ash.cli.terminal;

import dev.ash.cli.command.Host;

/** A line of dots on a person's terminal, one a second, while something takes its time. */
public final class Progress implements AutoCloseable {
    private static final long SECOND = 1_000_000_000L;

    private final Host host;
    private final String what;
    private long nextDot = System.nanoTime() + SECOND / 2;
    private boolean begun;

    public Progress(Host host, String what) {
        this.host = host;
        this.what = what;
    }

    public void tick() {
        if (host.terminals().err() && System.nanoTime() > nextDot) {
            host.err().print(begun ? "." : what + " ");
            host.err().flush();
            begun = true;
            nextDot += SECOND;
        }
    }

    @Override
    public void close() {
        if (begun) {
            host.err().println();
            host.err().flush();
        }
    }
}

package dev.ash.cli.terminal;

import dev.ash.cli.command.Host;

/** Prints a dot per second on the terminal while an operation runs. */
public final class Progress implements AutoCloseable {
    private static final long SECOND = 1_000_000_000L;

    private final Host host;
    private final String description;
    private long nextDot = System.nanoTime() + SECOND / 2;
    private boolean started;

    public Progress(Host host, String description) {
        this.host = host;
        this.description = description;
    }

    public void tick() {
        if (host.terminals().err() && System.nanoTime() > nextDot) {
            host.err().print(started ? "." : description + " ");
            host.err().flush();
            started = true;
            nextDot += SECOND;
        }
    }

    @Override
    public void close() {
        if (started) {
            host.err().println();
            host.err().flush();
        }
    }
}

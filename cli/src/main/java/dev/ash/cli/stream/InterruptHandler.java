package dev.ash.cli.stream;

import org.jline.utils.Signals;

/** Handles Ctrl-C with an action until it is closed. */
public final class InterruptHandler implements AutoCloseable {
    private static final String SIGNAL = "INT";
    private final Object previous;

    private InterruptHandler(Object previous) {
        this.previous = previous;
    }

    public static InterruptHandler install(Runnable action) {
        return new InterruptHandler(Signals.register(SIGNAL, action));
    }

    @Override
    public void close() {
        Signals.unregister(SIGNAL, previous);
    }
}

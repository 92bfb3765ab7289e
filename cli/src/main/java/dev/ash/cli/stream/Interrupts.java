package dev.ash.cli.stream;

import org.jline.utils.Signals;

/** Takes Ctrl-C over for a while, and gives it back when closed. */
public final class Interrupts implements AutoCloseable {
    private static final String SIGNAL = "INT";
    private final Object previous;

    private Interrupts(Object previous) {
        this.previous = previous;
    }

    public static Interrupts handledBy(Runnable action) {
        return new Interrupts(Signals.register(SIGNAL, action));
    }

    @Override
    public void close() {
        Signals.unregister(SIGNAL, previous);
    }
}

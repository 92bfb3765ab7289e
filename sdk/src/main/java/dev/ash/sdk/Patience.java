package dev.ash.sdk;

import java.time.Duration;

/**
 * How long a lost connection is tried again before the loss becomes the caller's, and whom to tell
 * meanwhile. Tries come after 100 ms, 200 ms, … and at last every 5 s.
 */
public record Patience(Duration limit, Listener listener) {
    /** The first loss is the caller's. */
    public static final Patience NONE = of(Duration.ZERO);

    /** Hears of a connection that is gone and of its return; called by the thread that reads. */
    public interface Listener {
        void lost(AshException why);

        void regained();
    }

    public static Patience of(Duration limit) {
        return new Patience(limit, new Silent());
    }

    private static final class Silent implements Listener {
        @Override
        public void lost(AshException why) {}

        @Override
        public void regained() {}
    }
}

package dev.ash.sdk;

import java.time.Duration;

/**
 * How long to retry after a lost connection before the call fails. Delays start at 100 ms and
 * double up to 5 s. The listener is notified of disconnects and reconnects.
 */
public record ReconnectPolicy(Duration limit, Listener listener) {
    /** Does not retry. */
    public static final ReconnectPolicy NONE = of(Duration.ZERO);

    /** Receives connection changes, on the reading thread. */
    public interface Listener {
        void onDisconnect(AshException cause);

        void onReconnect();
    }

    public static ReconnectPolicy of(Duration limit) {
        return new ReconnectPolicy(limit, new NoListener());
    }

    private static final class NoListener implements Listener {
        @Override
        public void onDisconnect(AshException cause) {}

        @Override
        public void onReconnect() {}
    }
}

package dev.ash.server.identity;

import java.util.Optional;
import java.util.function.Consumer;

/** Identifies callers by the key or token that they present. */
@FunctionalInterface
public interface Authenticator {
    /** Empty if the key or token is unknown, revoked or expired. */
    Optional<Identity> authenticate(String presented);

    /**
     * Watches a caller while a stream or a wait is open for it: passes the reason to {@code onEnd}
     * within a second after the key or token is revoked or expires. Closing the result ends this.
     */
    default Registration whileValid(Identity caller, Consumer<String> onEnd) {
        return () -> {};
    }

    /** Closed by the one who registered. */
    interface Registration extends AutoCloseable {
        @Override
        void close();
    }
}

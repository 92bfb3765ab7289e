package dev.ash.pair.mcp;

import java.util.Optional;

/** A parsed message of a client that has not been executed. */
public interface McpRequest {
    /** Returns whether the request may block, so that others must not wait for it. */
    default boolean mayWait() {
        return false;
    }

    /** Executes the request, blocking if it waits, and returns the response, if any. */
    Optional<byte[]> execute();

    /** Must be called if the response could not be sent to the client. */
    default void onUndelivered() {}
}

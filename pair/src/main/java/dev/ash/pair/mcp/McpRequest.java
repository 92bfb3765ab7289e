package dev.ash.pair.mcp;

import java.util.Optional;

/** One message of a client, read but not acted upon. */
public interface McpRequest {
    /** Whether its answer may take long, and others should not have to wait for it. */
    default boolean mayWait() {
        return false;
    }

    /** Does what it asks, and blocks for as long. Empty where there is nothing to answer. */
    Optional<byte[]> answer();

    /** To be called if the answer could not be given to the client. */
    default void undelivered() {}
}

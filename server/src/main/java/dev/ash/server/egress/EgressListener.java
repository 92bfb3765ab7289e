package dev.ash.server.egress;

import java.util.List;
import java.util.Optional;

/**
 * Who hears what a sandbox did on the network. Called on the threads of connections, several at
 * once; each call should be short, for an answer waits for it.
 */
public interface EgressListener {
    /** At most once a minute for each host, and a limited number in all. */
    void blocked(Blocked blocked);

    /**
     * Before the client sees the end of the answer, so that its next call is counted against it.
     */
    void used(Usage usage);

    /** A call to the model had fields that Ash does not know; they were forwarded. */
    default void unknownFields(List<String> paths) {}

    /** Asked before each call to the model: why it may not be made, or nothing. */
    Optional<String> overBudget();
}

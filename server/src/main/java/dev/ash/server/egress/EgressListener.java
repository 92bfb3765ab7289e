package dev.ash.server.egress;

import dev.ash.server.egress.policy.Blocked;
import java.util.List;

/**
 * Receives reports about the network use of one sandbox. Called concurrently by the threads of
 * connections; each call should be short, because a response waits for it.
 */
public interface EgressListener {
    /** Called at most once a minute for each host, and a limited number of times in total. */
    void blocked(Blocked blocked);

    /** A model request had unknown fields, which were forwarded. */
    default void unknownFields(List<String> paths) {}
}

package dev.ash.server.egress;

import dev.ash.server.egress.policy.Blocked;
import java.util.List;

/**
 * Who hears what a sandbox did on the network. Called on the threads of connections, several at
 * once; each call should be short, for an answer waits for it.
 */
public interface EgressListener {
    /** At most once a minute for each host, and a limited number in all. */
    void blocked(Blocked blocked);

    /** A call to the model had fields that Ash does not know; they were forwarded. */
    default void unknownFields(List<String> paths) {}
}

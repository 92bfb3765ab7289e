package dev.ash.server.egress;

import dev.ash.server.egress.policy.BlockedRequest;
import java.util.List;

/**
 * Receives events about the network use of one sandbox. Called concurrently by connection threads;
 * calls must return quickly, because they delay a response.
 */
public interface EgressListener {
    /** Called at most once a minute for each host, and a limited number of times in total. */
    void onBlocked(BlockedRequest blocked);

    /** Called for a model request with unknown fields, which are forwarded. */
    default void onUnknownFields(List<String> paths) {}
}

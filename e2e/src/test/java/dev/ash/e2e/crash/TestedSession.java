package dev.ash.e2e.crash;

import java.util.ArrayList;
import java.util.List;

/**
 * A session of a run with its expected prompts and effects.
 *
 * @param prompts the sent prompts, in order
 * @param effects the lines that its commands must have written, in order
 */
record TestedSession(
        String id,
        String sandbox,
        StreamSubscriber subscriber,
        List<String> prompts,
        List<String> effects) {
    TestedSession(String id, String sandbox, StreamSubscriber subscriber) {
        this(id, sandbox, subscriber, new ArrayList<>(), new ArrayList<>());
    }

    String path() {
        return "/api/sessions/" + id;
    }
}

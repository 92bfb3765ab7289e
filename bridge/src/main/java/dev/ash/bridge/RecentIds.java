package dev.ash.bridge;

import java.util.LinkedHashSet;

/** The last 10,000 command ids, to detect retransmissions. Not thread-safe. */
final class RecentIds {
    private static final int MAX_IDS = 10_000;

    private final LinkedHashSet<String> ids = new LinkedHashSet<>();

    /** Returns false if the id is already contained. */
    boolean add(String id) {
        boolean added = ids.add(id);
        if (ids.size() > MAX_IDS) {
            ids.removeFirst();
        }
        return added;
    }
}

package dev.ash.bridge;

import java.util.LinkedHashSet;

/** The last ten thousand ids, so that what a server sends twice runs once. Not thread-safe. */
final class RecentIds {
    private static final int KEPT = 10_000;

    private final LinkedHashSet<String> ids = new LinkedHashSet<>();

    /** False if it was there already. */
    boolean add(String id) {
        boolean added = ids.add(id);
        if (ids.size() > KEPT) {
            ids.removeFirst();
        }
        return added;
    }
}

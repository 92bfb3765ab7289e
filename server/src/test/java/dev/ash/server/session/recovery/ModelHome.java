package dev.ash.server.session.recovery;

import org.jspecify.annotations.Nullable;

/** What an engine left in its home: it is there for the next bridge. */
final class ModelHome {
    private volatile @Nullable Aside aside;

    /** A turn whose question was laid aside, and the step that asked it. */
    record Aside(String id, ModelScript script, int step) {}

    @Nullable Aside aside() {
        return aside;
    }

    void layAside(@Nullable Aside turn) {
        aside = turn;
    }

    ModelHome copy() {
        var copy = new ModelHome();
        copy.aside = aside;
        return copy;
    }
}

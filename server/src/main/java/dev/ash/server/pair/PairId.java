package dev.ash.server.pair;

import dev.ash.pair.run.RunFolder;

/** A run among those of all repositories: {@code project-0123456789ab-7}. */
final class PairId {
    static String of(RunFolder folder) {
        var parent = folder.path().getParent();
        return (parent == null ? "" : parent.getFileName()) + "-" + folder.name();
    }

    private PairId() {}
}

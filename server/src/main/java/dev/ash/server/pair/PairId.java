package dev.ash.server.pair;

import dev.ash.pair.run.RunDirectory;

/** Builds the id of a run, unique among all repositories: {@code project-0123456789ab-7}. */
final class PairId {
    static String of(RunDirectory directory) {
        var parent = directory.path().getParent();
        return (parent == null ? "" : parent.getFileName()) + "-" + directory.name();
    }

    private PairId() {}
}

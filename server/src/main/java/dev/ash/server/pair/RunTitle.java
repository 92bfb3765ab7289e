package dev.ash.server.pair;

import dev.ash.pair.archive.RunSetup;
import java.nio.file.Path;

/** The display name of a run. */
record RunTitle(int run, String repository) {
    static RunTitle of(RunSetup setup) {
        var directory = Path.of(setup.repository()).getFileName();
        return new RunTitle(
                setup.id(), directory == null ? setup.repository() : directory.toString());
    }

    /** Returns the title of a peer's session. */
    String of(String role) {
        return this + ", " + role;
    }

    @Override
    public String toString() {
        return "Pair %d of %s".formatted(run, repository);
    }
}

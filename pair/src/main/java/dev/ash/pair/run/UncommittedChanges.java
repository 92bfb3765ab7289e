package dev.ash.pair.run;

import dev.ash.pair.Plural;
import java.util.Optional;

/** Formats the warning about uncommitted changes, which runs do not include. */
public final class UncommittedChanges {
    private UncommittedChanges() {}

    public static Optional<String> warning(long count) {
        if (count == 0) {
            return Optional.empty();
        }
        boolean one = count == 1;
        return Optional.of(
                "%s %s not part of this run, which uses the last commit; commit first to include %s"
                        .formatted(
                                Plural.of(count, "uncommitted change"),
                                one ? "is" : "are",
                                one ? "it" : "them"));
    }
}

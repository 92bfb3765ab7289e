package dev.ash.sandbox.limits;

import java.nio.file.Path;
import java.util.Set;

/**
 * One tree of control groups.
 *
 * @param own the server's own group in it, below which ours are made
 * @param limits what can be limited in it
 */
record Hierarchy(Version version, Path own, Set<Limit> limits) {
    Hierarchy {
        limits = Set.copyOf(limits);
    }
}

package dev.ash.sandbox.limits;

import java.nio.file.Path;
import java.util.EnumSet;
import java.util.Set;
import java.util.stream.Collectors;

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

    /** In one line, for a server that comes after this one and may be in another group itself. */
    String line() {
        var names = limits.stream().map(Limit::name).sorted().collect(Collectors.joining(","));
        return version + " " + names + " " + own;
    }

    static Hierarchy parse(String line) {
        var words = line.split(" ", 3);
        var limits = EnumSet.noneOf(Limit.class);
        for (var name : words[1].split(",", -1)) {
            limits.add(Limit.valueOf(name));
        }
        return new Hierarchy(Version.valueOf(words[0]), Path.of(words[2]), limits);
    }
}

package dev.ash.sandbox.limits;

import java.nio.file.Path;
import java.util.EnumSet;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * One control group hierarchy.
 *
 * @param own the group in it below which groups of sandboxes are created
 * @param limits the limits that it supports
 */
record Hierarchy(ControlGroupVersion version, Path own, Set<Limit> limits) {
    Hierarchy {
        limits = Set.copyOf(limits);
    }

    /** Serializes this to one line for a later server, which may be in another group itself. */
    String line() {
        var names = limits.stream().map(Limit::name).sorted().collect(Collectors.joining(","));
        return version + " " + names + " " + own;
    }

    static Hierarchy parse(String line) {
        var fields = line.split(" ", 3);
        var limits = EnumSet.noneOf(Limit.class);
        for (var name : fields[1].split(",", -1)) {
            limits.add(Limit.valueOf(name));
        }
        return new Hierarchy(ControlGroupVersion.valueOf(fields[0]), Path.of(fields[2]), limits);
    }
}

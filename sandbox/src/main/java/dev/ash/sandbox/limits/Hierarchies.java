package dev.ash.sandbox.limits;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** Finds the trees of control groups that this process is in. */
final class Hierarchies {
    private static final List<Limit> GROUPED = List.of(Limit.MEMORY, Limit.PIDS, Limit.CPU);

    /** {@code self} is the process's folder below {@code /proc}; none where there is no such. */
    static List<Hierarchy> find(Path self) {
        try {
            var groups = groups(Files.readAllLines(self.resolve("cgroup")));
            var found = new ArrayList<Hierarchy>();
            for (var line : Files.readAllLines(self.resolve("mountinfo"))) {
                Mounted.parse(line)
                        .flatMap(mount -> hierarchy(mount, groups))
                        .ifPresent(found::add);
            }
            return found;
        } catch (IOException e) {
            return List.of();
        }
    }

    /** By controller, and by the empty name for version 2. */
    private static Map<String, String> groups(List<String> lines) {
        var groups = new HashMap<String, String>();
        for (var line : lines) {
            var parts = line.split(":", 3);
            if (parts.length == 3) {
                for (var controller : parts[1].split(",", -1)) {
                    groups.put(controller, parts[2]);
                }
            }
        }
        return groups;
    }

    private static Optional<Hierarchy> hierarchy(Mounted mount, Map<String, String> groups) {
        boolean second = mount.type.equals("cgroup2");
        var limits = EnumSet.noneOf(Limit.class);
        String group = second ? groups.get("") : null;
        for (var limit : GROUPED) {
            if (!second && mount.options.contains(limit.label())) {
                limits.add(limit);
                group = groups.get(limit.label());
            }
        }
        var own = group == null ? Optional.<Path>empty() : mount.folder(group);
        if (own.isEmpty()) {
            return Optional.empty();
        }
        if (second) {
            limits.addAll(offered(own.get()));
        }
        return limits.isEmpty()
                ? Optional.empty()
                : Optional.of(new Hierarchy(second ? Version.V2 : Version.V1, own.get(), limits));
    }

    private static Set<Limit> offered(Path own) {
        var limits = EnumSet.noneOf(Limit.class);
        try {
            var names =
                    List.of(
                            Files.readString(own.resolve("cgroup.controllers"))
                                    .strip()
                                    .split(" ", -1));
            GROUPED.stream().filter(each -> names.contains(each.label())).forEach(limits::add);
        } catch (IOException e) {
            // It offers nothing.
        }
        return limits;
    }

    /** A line of {@code mountinfo} about control groups. */
    private record Mounted(String root, Path point, String type, List<String> options) {
        static Optional<Mounted> parse(String line) {
            var halves = line.split(" - ", 2);
            var left = halves[0].split(" ", -1);
            var right = halves.length < 2 ? new String[0] : halves[1].split(" ", -1);
            if (left.length < 5 || right.length < 3 || !right[0].startsWith("cgroup")) {
                return Optional.empty();
            }
            var point = Path.of(left[4].replace("\\040", " "));
            return Optional.of(
                    new Mounted(left[3], point, right[0], List.of(right[2].split(",", -1))));
        }

        /** In a container only a part of the tree may be mounted, and not always ours. */
        Optional<Path> folder(String group) {
            var from = Path.of(root);
            var to = Path.of(group);
            return to.startsWith(from) && !group.contains("..")
                    ? Optional.of(point.resolve(from.relativize(to)))
                    : Optional.empty();
        }
    }

    private Hierarchies() {}
}

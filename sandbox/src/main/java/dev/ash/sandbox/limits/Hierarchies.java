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

/** Finds the control group hierarchies that this process is in. */
final class Hierarchies {
    private static final List<Limit> CONTROLLERS = List.of(Limit.MEMORY, Limit.PIDS, Limit.CPU);

    /** Returns the hierarchies; {@code self} is the process's directory below {@code /proc}. */
    static List<Hierarchy> find(Path self) {
        try {
            var groups = groups(Files.readAllLines(self.resolve("cgroup")));
            var found = new ArrayList<Hierarchy>();
            for (var line : Files.readAllLines(self.resolve("mountinfo"))) {
                CgroupMount.parse(line)
                        .flatMap(mount -> hierarchy(mount, groups))
                        .ifPresent(found::add);
            }
            return found;
        } catch (IOException e) {
            return List.of();
        }
    }

    /** Returns group paths by controller; the empty name stands for version 2. */
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

    private static Optional<Hierarchy> hierarchy(CgroupMount mount, Map<String, String> groups) {
        boolean isV2 = mount.type.equals("cgroup2");
        var limits = EnumSet.noneOf(Limit.class);
        String group = isV2 ? groups.get("") : null;
        for (var limit : CONTROLLERS) {
            if (!isV2 && mount.options.contains(limit.label())) {
                limits.add(limit);
                group = groups.get(limit.label());
            }
        }
        var own = group == null ? Optional.<Path>empty() : mount.directory(group);
        if (own.isEmpty()) {
            return Optional.empty();
        }
        if (isV2) {
            limits.addAll(offered(own.get()));
        }
        return limits.isEmpty()
                ? Optional.empty()
                : Optional.of(
                        new Hierarchy(
                                isV2 ? ControlGroupVersion.V2 : ControlGroupVersion.V1,
                                own.get(),
                                limits));
    }

    private static Set<Limit> offered(Path own) {
        var limits = EnumSet.noneOf(Limit.class);
        try {
            var names =
                    List.of(
                            Files.readString(own.resolve("cgroup.controllers"))
                                    .strip()
                                    .split(" ", -1));
            CONTROLLERS.stream().filter(each -> names.contains(each.label())).forEach(limits::add);
        } catch (IOException e) {
            // No controllers.
        }
        return limits;
    }

    /** A line of {@code mountinfo} for a control group file system. */
    private record CgroupMount(String root, Path point, String type, List<String> options) {
        static Optional<CgroupMount> parse(String line) {
            var halves = line.split(" - ", 2);
            var left = halves[0].split(" ", -1);
            var right = halves.length < 2 ? new String[0] : halves[1].split(" ", -1);
            if (left.length < 5 || right.length < 3 || !right[0].startsWith("cgroup")) {
                return Optional.empty();
            }
            var point = Path.of(left[4].replace("\\040", " "));
            return Optional.of(
                    new CgroupMount(left[3], point, right[0], List.of(right[2].split(",", -1))));
        }

        /**
         * Returns the directory of a group; empty if the mounted part of the tree does not contain
         * it.
         */
        Optional<Path> directory(String group) {
            var from = Path.of(root);
            var to = Path.of(group);
            return to.startsWith(from) && !group.contains("..")
                    ? Optional.of(point.resolve(from.relativize(to)))
                    : Optional.empty();
        }
    }

    private Hierarchies() {}
}

package dev.ash.cli.doctor;

import dev.ash.cli.terminal.Check;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Checks the host's support for limiting memory, CPU, processes and disk. */
final class ResourceChecks {
    private static final List<String> CONTROLLERS = List.of("memory", "cpu", "pids");

    private final SystemFiles files;

    /** The process whose control groups are checked: the server, or this one if none runs. */
    private final String process;

    ResourceChecks(SystemFiles files, String process) {
        this.files = files;
        this.process = process;
    }

    Check controlGroups() {
        boolean unified = files.exists("/sys/fs/cgroup/cgroup.controllers");
        var usable = unified ? unifiedControllers() : separateControllers();
        var version = unified ? "version 2" : "version 1";
        var missing = new ArrayList<>(CONTROLLERS);
        missing.removeAll(usable);
        if (missing.isEmpty()) {
            return Check.ok(
                    "control groups",
                    version + ": the server can use " + String.join(", ", usable));
        }
        var found =
                "%s: the server cannot use %s, so these limits are not enforced"
                        .formatted(version, String.join(", ", missing));
        var advice =
                unified
                        ? IsolationRemedies.DELEGATE
                        : "Start the server as root, with /sys/fs/cgroup mounted for writing.";
        return usable.isEmpty()
                ? Check.missing("control groups", found, advice)
                : Check.weak("control groups", found, advice);
    }

    private List<String> unifiedControllers() {
        var group = group("0::").map(path -> "/sys/fs/cgroup" + path).orElse("/sys/fs/cgroup");
        if (!Files.isWritable(files.path(group))) {
            return List.of();
        }
        var available = files.read(group + "/cgroup.controllers").orElse("").split("\\s+");
        return CONTROLLERS.stream().filter(List.of(available)::contains).toList();
    }

    private List<String> separateControllers() {
        return CONTROLLERS.stream().filter(this::isWritableHierarchy).toList();
    }

    private boolean isWritableHierarchy(String controller) {
        var top = "/sys/fs/cgroup/" + controller;
        var group = group(":" + controller + ":").map(path -> top + path).orElse(top);
        return Files.isWritable(files.path(group)) || Files.isWritable(files.path(top));
    }

    private Optional<String> group(String marker) {
        return files.read("/proc/" + process + "/cgroup")
                .orElse("")
                .lines()
                .filter(line -> line.contains(marker))
                .map(line -> line.substring(line.lastIndexOf(':') + 1))
                .filter(path -> !path.equals("/") && !path.contains(".."))
                .findFirst();
    }

    /** Checks the requirements of disk images; the server itself mounts one to find out. */
    Check diskLimits(boolean root) {
        var missing = new ArrayList<String>();
        if (!root) {
            missing.add("root");
        }
        if (!files.exists("/dev/loop-control")) {
            missing.add("loop devices");
        }
        if (!files.exists("/usr/sbin/mkfs.ext4") && !files.exists("/sbin/mkfs.ext4")) {
            missing.add("mkfs.ext4");
        }
        return missing.isEmpty()
                ? Check.ok("disk limits", "sandboxes can have file systems of limited size")
                : Check.weak(
                        "disk limits",
                        "disk space of sandboxes is only measured, about once a second; missing: "
                                + String.join(", ", missing),
                        "Run the server as root on a host with loop devices and e2fsprogs.");
    }

    /** Checks the data directory's mount; {@code /proc/mounts} escapes spaces as \040. */
    Check disk(Path data) {
        var mount = "/";
        var options = "";
        for (var line : files.read("/proc/mounts").orElse("").split("\n", -1)) {
            var words = line.split(" ", -1);
            if (words.length > 3) {
                var mountPoint = words[1].replace("\\040", " ");
                if (data.startsWith(mountPoint) && mountPoint.length() >= mount.length()) {
                    mount = mountPoint;
                    options = words[3];
                }
            }
        }
        if (mount.equals("/")) {
            var loop = files.exists("/dev/loop-control");
            return Check.weak(
                    "disk",
                    data
                            + " is on the root file system, which sandboxes share with the rest of the host",
                    "Mount a separate file system at %s%s."
                            .formatted(data, loop ? " (a file on a loop device is enough)" : ""));
        }
        boolean quotas = options.contains("prjquota") || options.contains("pquota");
        return Check.ok(
                "disk",
                "%s is on its own file system %s, %s project quotas"
                        .formatted(data, mount, quotas ? "with" : "without"));
    }
}

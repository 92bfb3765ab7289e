package dev.ash.e2e.conformance;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ash.e2e.TestSession;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.TreeMap;

/** Reads the properties of a sandbox from the kernel and from its processes. */
record ArchitectureSandbox(TestSession session) {
    private static final Path GROUPS = Path.of("/sys/fs/cgroup");

    /** Returns the output of a command in the sandbox. */
    String sh(String command) {
        var result = session.exec(command);
        assertThat(result.path("stdout").isString()).as(result.toString()).isTrue();
        return result.path("stdout").asString();
    }

    Map<String, String> environment() {
        var environment = new TreeMap<String, String>();
        var listed = session.exec("env -0");
        assertThat(listed.path("stdout").asString()).as(listed.toString()).isNotEmpty();
        for (var entry : listed.path("stdout").asString().split("\0")) {
            var pair = entry.split("=", 2);
            assertThat(pair).as(entry).hasSize(2);
            environment.put(pair[0], pair[1]);
        }
        return environment;
    }

    /** Returns the limit of processes and threads: {@code pids.max} in both cgroup versions. */
    long pids() throws IOException {
        return Long.parseLong(setting("pids", "pids.max", "pids.max"));
    }

    /**
     * Returns the memory limit in bytes: {@code memory.max}, or its predecessor in cgroup version
     * 1.
     */
    long memory() throws IOException {
        return Long.parseLong(setting("memory", "memory.max", "memory.limit_in_bytes"));
    }

    /** Returns the CPU limit in percent of one core: {@code cpu.max}, or its predecessors. */
    long cpu() throws IOException {
        if (group("cpu").isEmpty()) {
            var parts = setting("cpu", "cpu.max", "").split(" ");
            return Long.parseLong(parts[0]) * 100 / Long.parseLong(parts[1]);
        }
        long quota = Long.parseLong(setting("cpu", "", "cpu.cfs_quota_us"));
        return quota * 100 / Long.parseLong(setting("cpu", "", "cpu.cfs_period_us"));
    }

    private String setting(String controller, String v2, String v1) throws IOException {
        var own = group(controller);
        var directory =
                own.isEmpty()
                        ? Path.of(GROUPS.toString(), group(""))
                        : Path.of(GROUPS.toString(), controller, own);
        return Files.readString(directory.resolve(own.isEmpty() ? v2 : v1)).strip();
    }

    /** Returns the bridge's group of a version 1 controller; an empty name selects version 2. */
    String group(String controller) throws IOException {
        for (var line : Files.readAllLines(process().resolve("cgroup"))) {
            var parts = line.split(":", 3);
            if (parts[1].equals(controller)
                    || java.util.List.of(parts[1].split(",")).contains(controller)) {
                return parts[2];
            }
        }
        return "";
    }

    /** Returns a limit from {@code /proc/<pid>/limits}. */
    String limit(String name) throws IOException {
        for (var line : Files.readAllLines(process().resolve("limits"))) {
            if (line.startsWith(name)) {
                return line.substring(name.length()).strip().split("\\s+")[1];
            }
        }
        throw new AssertionError("no limit " + name);
    }

    /** Checks that the bridge is in another namespace of this kind than this process. */
    void assertOwnNamespace(String kind) throws IOException {
        assertThat(Files.readSymbolicLink(process().resolve("ns/" + kind)))
                .as(kind + " namespace")
                .isNotEqualTo(Files.readSymbolicLink(Path.of("/proc/self/ns/" + kind)));
    }

    Path process() {
        return Path.of("/proc", Long.toString(session.bridgePid()));
    }
}

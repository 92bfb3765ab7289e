package dev.ash.sandbox.limits;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class HierarchiesTest {
    @TempDir private Path self;

    private void process(String cgroup, String mountinfo) throws IOException {
        Files.writeString(self.resolve("cgroup"), cgroup);
        Files.writeString(self.resolve("mountinfo"), mountinfo);
    }

    @Test
    void findsVersion1HierarchyPerController() throws IOException {
        process(
                """
                8:pids:/
                4:memory:/service/one
                2:cpu,cpuacct:/service
                1:name=systemd:/
                0::/
                """,
                """
                31 23 0:28 / /sys/fs/cgroup rw,relatime - tmpfs tmpfs rw,mode=755
                32 31 0:29 / /cg/cpu,cpuacct rw,relatime - cgroup cgroup rw,cpu,cpuacct
                35 31 0:32 / /cg/memory rw,relatime shared:7 master:2 - cgroup cgroup rw,memory
                39 31 0:36 / /cg/pids rw,relatime - cgroup cgroup rw,pids
                40 31 0:37 / /cg/systemd rw,relatime - cgroup cgroup rw,name=systemd
                41 31 0:38 / /cg/unified rw,relatime - cgroup2 cgroup2 rw
                """);

        assertThat(Hierarchies.find(self))
                .containsExactly(
                        new Hierarchy(
                                ControlGroupVersion.V1,
                                Path.of("/cg/cpu,cpuacct/service"),
                                Set.of(Limit.CPU)),
                        new Hierarchy(
                                ControlGroupVersion.V1,
                                Path.of("/cg/memory/service/one"),
                                Set.of(Limit.MEMORY)),
                        new Hierarchy(
                                ControlGroupVersion.V1, Path.of("/cg/pids"), Set.of(Limit.PIDS)));
    }

    @Test
    void findsVersion2WithAvailableControllers(@TempDir Path mount) throws IOException {
        process(
                "0::/user.slice/app\n",
                "41 31 0:38 /user.slice %s rw - cgroup2 cgroup2 rw\n".formatted(mount));
        Files.createDirectory(mount.resolve("app"));
        Files.writeString(mount.resolve("app/cgroup.controllers"), "cpuset memory pids\n");

        assertThat(Hierarchies.find(self))
                .containsExactly(
                        new Hierarchy(
                                ControlGroupVersion.V2,
                                mount.resolve("app"),
                                Set.of(Limit.MEMORY, Limit.PIDS)));
    }

    @Test
    void ignoresMountThatDoesNotContainGroup() throws IOException {
        process("4:memory:/elsewhere\n", "35 31 0:32 /box /cg rw - cgroup cgroup rw,memory\n");

        assertThat(Hierarchies.find(self)).isEmpty();
    }

    @Test
    void findsNothingWithoutControlGroups() {
        assertThat(Hierarchies.find(self.resolve("none"))).isEmpty();
    }
}

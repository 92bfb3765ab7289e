package dev.ash.sandbox.limits;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Control groups version 2, on a tree of ordinary files. */
class ControlGroupsTest {
    private static final ResolvedLimits LIMITS = new ResolvedLimits(64, 150, 32, 10);

    @TempDir private Path self;
    @TempDir private Path tree;
    private Path own;

    @BeforeEach
    void makeTree() throws IOException {
        own = Files.createDirectory(tree.resolve("ash.service"));
        Files.writeString(own.resolve("cgroup.controllers"), "cpuset cpu io memory pids\n");
        Files.writeString(self.resolve("cgroup"), "0::/ash.service\n");
        Files.writeString(
                self.resolve("mountinfo"),
                "1 2 0:3 / %s rw - cgroup2 cgroup2 rw\n".formatted(tree));
    }

    private ControlGroups open() {
        return ControlGroups.open(self, "ash-data", _ -> true);
    }

    @Test
    void enablesControllersForChildGroups() throws IOException {
        var groups = open();

        assertThat(own.resolve("cgroup.subtree_control")).hasContent("+cpu +memory +pids");
        assertThat(own.resolve("ash-data/cgroup.subtree_control")).hasContent("+cpu +memory +pids");
        assertThat(own.resolve("ash-server")).doesNotExist();
        assertThat(groups.enforced()).containsExactly(Limit.MEMORY, Limit.PIDS, Limit.CPU);
        assertThat(groups.missing()).isEmpty();
    }

    @Test
    void setsEachLimitOfGroup() throws IOException {
        var group = open().of("one");

        group.create(LIMITS);

        var directory = own.resolve("ash-data/one");
        assertThat(directory.resolve("memory.max")).hasContent("67108864");
        assertThat(directory.resolve("pids.max")).hasContent("32");
        assertThat(directory.resolve("cpu.max")).hasContent("150000 100000");
        assertThat(group.procsFiles()).containsExactly(directory.resolve("cgroup.procs"));
        assertThatThrownBy(() -> group.verify(LIMITS, 4711)).hasMessageContaining("4711 is not in");
        Files.writeString(directory.resolve("cgroup.procs"), "1\n4711\n");
        group.verify(LIMITS, 4711);
        Files.writeString(directory.resolve("memory.max"), "max\n");
        assertThatThrownBy(() -> group.verify(LIMITS, 4711)).hasMessageContaining("but is max");
    }

    /** The kernel refuses while the server itself is in the group. */
    @Test
    void movesServerIntoLeafGroup() throws IOException {
        Files.createSymbolicLink(own.resolve("cgroup.subtree_control"), Path.of("/dev/full"));

        var groups = open();

        assertThat(own.resolve("ash-server/cgroup.procs"))
                .hasContent(Long.toString(ProcessHandle.current().pid()));
        assertThat(groups.enforced()).isEmpty();
        assertThat(groups.missing())
                .hasSize(3)
                .allMatch(message -> message.contains("is not limited: No space left"));
    }

    @Test
    void usesParentGroupAfterRestartInLeaf() throws IOException {
        Files.createDirectory(own.resolve("ash-server"));
        Files.writeString(own.resolve("ash-server/cgroup.controllers"), "memory pids\n");
        Files.writeString(self.resolve("cgroup"), "0::/ash.service/ash-server\n");

        var groups = open();

        assertThat(own.resolve("ash-data")).isDirectory();
        assertThat(groups.enforced()).containsExactly(Limit.MEMORY, Limit.PIDS);
        assertThat(groups.missing())
                .containsExactly("cpu is not limited: the host has no control group for it");
    }

    @Test
    void reportsGroupThatProcessCannotJoin() {
        var groups = ControlGroups.open(self, "ash-data", _ -> false);

        assertThat(groups.enforced()).isEmpty();
        assertThat(groups.missing()).hasSize(3).allMatch(each -> each.contains("could not join"));
    }

    @Test
    void describesRecentlyHitLimit() throws IOException {
        var group = open().of("one");
        group.create(LIMITS);
        var clock = new AtomicLong();
        var pressureMonitor = new PressureMonitor(group, LIMITS, clock::get);
        assertThat(pressureMonitor.describe()).isEmpty();

        hit("pids.events", "max 3");
        assertThat(pressureMonitor.describe().orElseThrow())
                .isEqualTo(
                        "It exceeded its limit of 32 processes and threads. Raise limits.pids"
                                + " of the session or its agent, or ASH_SANDBOX_PIDS.");
        hit("memory.events", "low 0\noom 4\noom_kill 1");
        assertThat(pressureMonitor.describe().orElseThrow())
                .contains("memory limit of 64 MB", "limits.memoryMb");
        clock.addAndGet(11_000_000_000L);
        assertThat(pressureMonitor.describe()).isEmpty();
    }

    @Test
    void detectsForkBombAfterConsecutiveRefusals() throws IOException {
        var group = open().of("one");
        group.create(LIMITS);
        var pressureMonitor = new PressureMonitor(group, LIMITS, System::nanoTime);
        for (int i = 1; i <= 4; i++) {
            hit("pids.events", "max " + i * 100);
            assertThat(pressureMonitor.poll()).isEmpty();
        }
        assertThat(pressureMonitor.poll()).isEmpty(); // no refusal in this poll
        for (int i = 5; i <= 8; i++) {
            hit("pids.events", "max " + i * 100);
            assertThat(pressureMonitor.poll()).isEmpty();
        }

        hit("pids.events", "max 900");

        assertThat(pressureMonitor.poll().orElseThrow()).contains("32 processes");
    }

    private void hit(String file, String content) throws IOException {
        Files.writeString(own.resolve("ash-data/one").resolve(file), content + "\n");
    }

    @Test
    void restoresGroupFromRecordedLines() throws IOException {
        var group = open().of("one");
        group.create(LIMITS);

        var found = ControlGroup.recorded("one", group.lines());

        assertThat(found.procsFiles()).isEqualTo(group.procsFiles());
        assertThat(found.lines()).isEqualTo(group.lines());
        assertThat(ControlGroup.recorded("one", List.of()).exists()).isFalse();
    }

    @Test
    void listsExistingGroups() throws IOException {
        var groups = open();
        groups.of("one").create(LIMITS);
        Files.createDirectory(own.resolve("ash-data/two"));

        assertThat(groups.existing()).containsAll(List.of("one", "two"));
    }
}

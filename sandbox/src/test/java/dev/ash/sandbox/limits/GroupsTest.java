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

/** The second version of control groups, on a tree of ordinary files. */
class GroupsTest {
    private static final Bounds BOUNDS = new Bounds(64, 150, 32, 10);

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

    private Groups open() {
        return Groups.open(self, "ash-data", _ -> true);
    }

    @Test
    void sharesItsControllersWithTheGroupsBelow() throws IOException {
        var groups = open();

        assertThat(own.resolve("cgroup.subtree_control")).hasContent("+cpu +memory +pids");
        assertThat(own.resolve("ash-data/cgroup.subtree_control")).hasContent("+cpu +memory +pids");
        assertThat(own.resolve("ash-server")).doesNotExist();
        assertThat(groups.enforced()).containsExactly(Limit.MEMORY, Limit.PIDS, Limit.CPU);
        assertThat(groups.missing()).isEmpty();
    }

    @Test
    void setsEachLimitOfAGroup() throws IOException {
        var group = open().of("one");

        group.make(BOUNDS);

        var folder = own.resolve("ash-data/one");
        assertThat(folder.resolve("memory.max")).hasContent("67108864");
        assertThat(folder.resolve("pids.max")).hasContent("32");
        assertThat(folder.resolve("cpu.max")).hasContent("150000 100000");
        assertThat(group.doors()).containsExactly(folder.resolve("cgroup.procs"));
        assertThatThrownBy(() -> group.verify(BOUNDS, 4711)).hasMessageContaining("4711 is not in");
        Files.writeString(folder.resolve("cgroup.procs"), "1\n4711\n");
        group.verify(BOUNDS, 4711);
        Files.writeString(folder.resolve("memory.max"), "max\n");
        assertThatThrownBy(() -> group.verify(BOUNDS, 4711)).hasMessageContaining("and is max");
    }

    /** The kernel says no while the server itself is in the group. */
    @Test
    void theServerMovesIntoALeafWhereItIsInTheWay() throws IOException {
        Files.createSymbolicLink(own.resolve("cgroup.subtree_control"), Path.of("/dev/full"));

        var groups = open();

        assertThat(own.resolve("ash-server/cgroup.procs"))
                .hasContent(Long.toString(ProcessHandle.current().pid()));
        assertThat(groups.enforced()).isEmpty();
        assertThat(groups.missing())
                .hasSize(3)
                .allMatch(sentence -> sentence.contains("is not limited: No space left"));
    }

    @Test
    void aServerThatStartsAgainInItsLeafUsesTheGroupAbove() throws IOException {
        Files.createDirectory(own.resolve("ash-server"));
        Files.writeString(own.resolve("ash-server/cgroup.controllers"), "memory pids\n");
        Files.writeString(self.resolve("cgroup"), "0::/ash.service/ash-server\n");

        var groups = open();

        assertThat(own.resolve("ash-data")).isDirectory();
        assertThat(groups.enforced()).containsExactly(Limit.MEMORY, Limit.PIDS);
        assertThat(groups.missing())
                .containsExactly("cpu is not limited: the host offers no control group for it");
    }

    @Test
    void whatAProcessCannotJoinIsNotCountedOn() {
        var groups = Groups.open(self, "ash-data", _ -> false);

        assertThat(groups.enforced()).isEmpty();
        assertThat(groups.missing()).hasSize(3).allMatch(each -> each.contains("could not enter"));
    }

    @Test
    void tellsTheLimitThatWasHitLately() throws IOException {
        var group = open().of("one");
        group.make(BOUNDS);
        var clock = new AtomicLong();
        var strain = new Strain(group, BOUNDS, clock::get);
        assertThat(strain.sentence()).isEmpty();

        hit("pids.events", "max 3");
        assertThat(strain.sentence().orElseThrow())
                .isEqualTo(
                        "It wanted more than its 32 processes and threads. Allow more by limits.pids"
                                + " of the session or its agent, or ASH_SANDBOX_PIDS.");
        hit("memory.events", "low 0\noom 4\noom_kill 1");
        assertThat(strain.sentence().orElseThrow()).contains("64 MB of memory", "limits.memoryMb");
        clock.addAndGet(11_000_000_000L);
        assertThat(strain.sentence()).isEmpty();
    }

    @Test
    void onlyOneThatIsRefusedAgainAndAgainHasToEnd() throws IOException {
        var group = open().of("one");
        group.make(BOUNDS);
        var strain = new Strain(group, BOUNDS, System::nanoTime);
        for (int i = 1; i <= 4; i++) {
            hit("pids.events", "max " + i * 100);
            assertThat(strain.look()).isEmpty();
        }
        assertThat(strain.look()).isEmpty(); // a second of peace
        for (int i = 5; i <= 8; i++) {
            hit("pids.events", "max " + i * 100);
            assertThat(strain.look()).isEmpty();
        }

        hit("pids.events", "max 900");

        assertThat(strain.look().orElseThrow()).contains("32 processes");
    }

    private void hit(String file, String content) throws IOException {
        Files.writeString(own.resolve("ash-data/one").resolve(file), content + "\n");
    }

    @Test
    void aGroupIsFoundAgainByWhatWasNotedOfIt() throws IOException {
        var group = open().of("one");
        group.make(BOUNDS);

        var found = Group.noted("one", group.lines());

        assertThat(found.doors()).isEqualTo(group.doors());
        assertThat(found.lines()).isEqualTo(group.lines());
        assertThat(Group.noted("one", List.of()).exists()).isFalse();
    }

    @Test
    void listsWhatThereIs() throws IOException {
        var groups = open();
        groups.of("one").make(BOUNDS);
        Files.createDirectory(own.resolve("ash-data/two"));

        assertThat(groups.existing()).containsAll(List.of("one", "two"));
    }
}

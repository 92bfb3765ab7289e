package dev.ash.sandbox;

import static dev.ash.sandbox.TestBed.run;
import static org.assertj.core.api.Assertions.assertThat;

import dev.ash.protocol.SandboxId;
import java.io.IOException;
import java.nio.file.Files;
import java.time.Duration;
import java.util.ArrayList;
import java.util.UUID;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Detection and termination of orphan processes, and the speed of termination. */
class OrphanProcessesTest {
    private static final int ROUNDS = Integer.getInteger("ash.ends", 50);

    private final String mark = "mark-" + UUID.randomUUID();
    private TestBed bed;

    @BeforeEach
    void open() throws IOException {
        TestBed.needsBubblewrap();
        bed = new TestBed();
    }

    @AfterEach
    void close() throws IOException {
        if (bed != null) {
            bed.close();
        }
    }

    @Test
    void countsAndKillsOrphansOfKilledServer() throws Exception {
        CrashingServer.run(bed.root, SandboxId.random(), "stays", "bubblewrap");
        var manager = bed.manager("serves");
        assertThat(manager.orphans()).isGreaterThan(1);

        manager.killOrphans();
        manager.existing().forEach(manager::killLeftovers);

        assertThat(manager.orphans()).isZero();
    }

    /** Without its files, only the control group reveals a sandbox. */
    @Test
    void findsSandboxWithDeletedFiles() throws Exception {
        var id = SandboxId.random();
        CrashingServer.run(bed.root, id, "stays", "bubblewrap");
        var delete = "umount -l sandboxes/%1$s; rm -rf sandboxes/%1$s disks run".formatted(id);
        new ProcessBuilder("sh", "-c", delete).directory(bed.dataDir.toFile()).start().waitFor();
        var manager = bed.manager("serves");
        TestBed.needs(
                manager.isolation(Network.CLOSED).limits().contains("pids"), "control groups");
        assertThat(manager.existing()).isEmpty();
        assertThat(manager.orphans()).isPositive();

        manager.killOrphans();

        assertThat(manager.orphans()).isZero();
        assertThat(Processes.with("ASH_SANDBOX_ID=" + id)).isEmpty();
    }

    @Test
    void countsByVariableWithoutControlGroups() throws Exception {
        var id = SandboxId.random();
        CrashingServer.run(bed.root, id, "stays", "bubblewrap");
        bed.machine =
                new Machine(
                        bed.machine.tools(),
                        bed.machine.uidRegistry(),
                        bed.machine.etc(),
                        bed.agent);
        var manager = bed.manager("serves");
        assertThat(manager.orphans()).isGreaterThan(1);

        manager.killLeftovers(id);

        assertThat(manager.orphans()).isZero();
        bed.machine =
                new Machine(
                        bed.machine.tools(),
                        bed.machine.uidRegistry(),
                        bed.machine.etc(),
                        Machine.SELF);
        bed.manager("serves")
                .killOrphans(); // its control group, which the other server did not use
    }

    @Test
    void doesNotCountOwnSandboxesAsOrphans() throws IOException {
        var manager = bed.manager("serves");
        try (var sandbox = manager.launch(bed.spec())) {
            assertThat(run(sandbox, "echo here")).isEqualTo("here");

            manager.killOrphans();

            assertThat(manager.orphans()).isZero();
            assertThat(run(sandbox, "echo here")).isEqualTo("here");
        }
    }

    /**
     * Starts a double-forked daemon in a new session, a stopped process, and one that keeps
     * forking.
     */
    private void startDaemons(Sandbox sandbox, String name) throws IOException {
        run(
                sandbox,
                """
                (setsid bash -c "(exec -a %1$s sleep 600) & exit 0" >/dev/null 2>&1 &)
                setsid bash -c "kill -STOP \\$\\$; exec -a %1$s sleep 600" >/dev/null 2>&1 &
                setsid bash -c "while :; do (exec -a %1$s sleep 0.05); done" >/dev/null 2>&1 &
                """
                        .formatted(name));
        Awaitility.await()
                .atMost(Duration.ofMinutes(1))
                .until(() -> !Processes.with(name).isEmpty());
    }

    @ParameterizedTest
    @ValueSource(strings = {"echo", "kill -STOP $PPID &", "kill -STOP -1 &"})
    void killsStoppedProcessesQuickly(String command) throws Exception {
        var manager = bed.manager("serves");
        var sandbox = manager.launch(bed.spec());
        startDaemons(sandbox, mark);
        sandbox.bridge().send(new dev.ash.protocol.bridge.BridgeCommand.Exec("1", command, 1000));
        long start = System.nanoTime();

        sandbox.close();

        assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(Duration.ofSeconds(10));
        assertThat(Processes.with(mark)).isEmpty();
    }

    @Test
    @SuppressWarnings("SystemOut")
    void terminatesRepeatedlyAndMeasuresDuration() throws IOException {
        var manager = bed.manager("serves");
        var millis = new ArrayList<Double>();
        for (int i = 0; i < ROUNDS; i++) {
            var spec = bed.spec();
            var sandbox = manager.launch(spec);
            startDaemons(sandbox, mark + "-" + i);
            long start = System.nanoTime();
            sandbox.close();
            millis.add((System.nanoTime() - start) / 1e6);
            assertThat(Processes.with(mark)).isEmpty();
            manager.discard(spec.id());
        }
        millis.sort(null);
        System.out.printf(
                "%d terminations with daemons: p50 %.1f ms, max %.1f ms%n",
                ROUNDS, millis.get(ROUNDS / 2), millis.getLast());

        assertThat(manager.orphans()).isZero();
        assertThat(bed.dataDir.resolve("run")).isEmptyDirectory();
        assertThat(bed.dataDir.resolve("egress")).isEmptyDirectory();
        assertThat(bed.dataDir.resolve("sandboxes")).isEmptyDirectory();
        assertThat(Files.readString(Machine.SELF.resolve("mountinfo")))
                .doesNotContain(bed.root + "/data/sandboxes");
    }
}

package dev.ash.sandbox;

import static dev.ash.sandbox.TestBed.exec;
import static dev.ash.sandbox.TestBed.run;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.ash.protocol.ApiException;
import dev.ash.protocol.bridge.BridgeCommand;
import dev.ash.protocol.rest.ResourceLimits;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.stream.Collectors;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Agents that exceed their limits, next to one that does not. */
class LimitsTest {
    private TestBed bed;

    @BeforeEach
    void open() throws IOException {
        TestBed.needsBubblewrap();
        bed = new TestBed();
        bed.limits = new ResourceLimits(128, 50, 64, 64);
    }

    @AfterEach
    void close() throws IOException {
        if (bed != null) {
            bed.close();
            assertThat(Files.readString(Path.of("/proc/self/mountinfo")))
                    .doesNotContain(bed.root.toString());
        }
    }

    private SandboxManager manager(String mode) {
        var manager = bed.manager(mode);
        TestBed.needs(
                manager.isolation(Network.CLOSED).limits().size() == 6, "writable control groups");
        return manager;
    }

    private static void awaitExit(Sandbox sandbox) {
        Awaitility.await().atMost(Duration.ofSeconds(60)).until(() -> !sandbox.isAlive());
    }

    @Test
    void listsEnforcedLimits() {
        assertThat(manager("serves").isolation(Network.CLOSED).limits())
                .containsExactlyInAnyOrder(
                        "memory", "pids", "cpu", "disk", "fileSize", "openFiles");
    }

    @Test
    void listsMissingLimits() throws IOException {
        bed.machine =
                new Machine(
                        bed.machine.tools(),
                        bed.machine.uidRegistry(),
                        bed.machine.etc(),
                        bed.agent);
        var manager = bed.manager("serves");

        var isolation = manager.isolation(Network.CLOSED);

        assertThat(isolation.limits()).containsExactlyInAnyOrder("disk", "fileSize", "openFiles");
        assertThat(isolation.missing())
                .contains("memory is not limited", "pids is not limited", "cpu is not limited");
        try (var sandbox = manager.launch(bed.spec())) {
            assertThat(run(sandbox, "ulimit -n; ulimit -c; ulimit -f")).isEqualTo("4096\n0\n65536");
        }
    }

    @Test
    void failsToolThatExceedsMemory() throws IOException {
        try (var sandbox = manager("serves").launch(bed.spec())) {
            assertThat(sandbox.pressure()).isEmpty();

            var result = exec(sandbox, "python3 -c 'x = bytearray(4 << 30)'; echo $?");

            assertThat(result.stdout()).isEqualTo("137\n");
            assertThat(sandbox.isAlive()).isTrue();
            assertThat(sandbox.pressure().orElseThrow())
                    .contains("memory limit of 128 MB", "ASH_SANDBOX_MEMORY_MB");
        }
    }

    @Test
    void reportsBridgeKilledForMemory() throws IOException {
        var manager = manager("grows");
        var sandbox = manager.launch(bed.spec());
        try (var other = bed.manager("serves").launch(bed.spec())) {
            sandbox.bridge().send(new BridgeCommand.Interrupt(null));

            awaitExit(sandbox);

            assertThat(sandbox.exitReason())
                    .contains(
                            "was killed by signal 9", "memory limit of 128 MB", "limits.memoryMb");
            assertThat(run(other, "echo here")).isEqualTo("here");
        }
    }

    @Test
    void containsForkBombInItsSandbox() throws IOException {
        var manager = manager("serves");
        var sandbox = manager.launch(bed.spec());
        try (var other = manager.launch(bed.spec())) {
            sandbox.bridge()
                    .send(new BridgeCommand.Exec("1", "bomb() { bomb | bomb & }; bomb", 10_000));

            awaitExit(sandbox);

            assertThat(sandbox.exitReason()).contains("64 processes and threads", "limits.pids");
            assertThat(run(other, "echo here")).isEqualTo("here");
            assertThat(manager.orphans()).isZero();
        }
    }

    @Test
    void limitsOpenDescriptors() throws IOException {
        try (var sandbox = bed.manager("serves").launch(bed.spec())) {
            var count =
                    run(
                            sandbox,
                            """
                            python3 -c "
                            import os
                            n = 0
                            try:
                                while True: os.open('/dev/null', 0); n += 1
                            except OSError as e: print(n, e.errno)"
                            """);

            assertThat(count).matches("40[89]\\d 24");
        }
    }

    @Test
    void limitsFileSizeToDiskLimit() throws IOException {
        try (var sandbox = bed.manager("serves").launch(bed.spec())) {
            assertThat(exec(sandbox, "truncate -s 64M big").exitCode()).isZero();
            assertThat(exec(sandbox, "echo >> big").exitCode()).isNotZero();
            assertThat(exec(sandbox, "truncate -s 1T sparse").exitCode()).isNotZero();
        }
    }

    @Test
    void terminatesSandboxThatFillsDisk() throws IOException {
        var sandbox = bed.manager("serves").launch(bed.spec());
        fill(sandbox, "head -c 10M /dev/zero > /workspace/f$i");

        awaitExit(sandbox);

        assertThat(sandbox.exitReason())
                .isEqualTo(
                        "The sandbox was terminated. Its files exceeded its disk limit of 64 MB."
                                + " Raise limits.diskMb of the session or its agent, or"
                                + " ASH_SANDBOX_DISK_MB.");
    }

    @Test
    void terminatesSandboxThatFillsDiskWithDeletedOpenFiles() throws IOException {
        var sandbox = bed.manager("serves").launch(bed.spec());
        sandbox.bridge()
                .send(
                        new BridgeCommand.Exec(
                                "1",
                                """
                                python3 -c "
                                import os, time
                                kept = []
                                try:
                                    for i in range(20):
                                        f = open('/tmp/f', 'wb', 0); os.unlink('/tmp/f')
                                        kept.append(f)
                                        for j in range(10): f.write(bytes(1 << 20))
                                except OSError: pass
                                time.sleep(600)"
                                """,
                                10_000));

        awaitExit(sandbox);

        assertThat(sandbox.exitReason()).contains("disk limit of 64 MB");
    }

    private static void fill(Sandbox sandbox, String step) throws IOException {
        var script = "for i in $(seq 20); do " + step + "; done; sleep 600";
        sandbox.bridge().send(new BridgeCommand.Exec("1", script, 10_000));
    }

    @Test
    void hidesControlGroups() throws IOException {
        try (var sandbox = bed.manager("serves").launch(bed.spec())) {
            assertThat(run(sandbox, "ls /sys/fs/cgroup; grep cgroup /proc/self/mountinfo"))
                    .contains("No such file");
        }
    }

    @Test
    void rejectsZeroLimit() {
        bed.limits = new ResourceLimits(0, null, null, null);
        var manager = bed.manager("serves");

        assertThatThrownBy(() -> manager.launch(bed.spec()))
                .isInstanceOfAny(IllegalArgumentException.class, ApiException.class);
    }

    @Test
    void leavesNothingAfterExit() throws IOException {
        var manager = bed.manager("serves");
        var spec = bed.spec();
        manager.launch(spec).close();

        assertThat(groupsWith(spec.id().value())).isEmpty();
        assertThat(bed.dataDir.resolve("run")).isEmptyDirectory();
        assertThat(bed.dataDir.resolve("egress")).isEmptyDirectory();
    }

    private static String groupsWith(String name) throws IOException {
        try (var all = Files.walk(Path.of("/sys/fs/cgroup"), 8)) {
            return all.map(Path::toString)
                    .filter(path -> path.endsWith(name))
                    .collect(Collectors.joining("\n"));
        }
    }
}

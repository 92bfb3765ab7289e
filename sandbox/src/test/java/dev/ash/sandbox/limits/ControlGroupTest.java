package dev.ash.sandbox.limits;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Control groups of this machine's kernel, in either version, with real processes. */
class ControlGroupTest {
    private static final ResolvedLimits LIMITS = new ResolvedLimits(64, 50, 20, 10);

    private final String name = "ash-test-" + UUID.randomUUID();
    private ControlGroups groups;

    @BeforeEach
    void open() {
        groups =
                ControlGroups.open(
                        Path.of("/proc/self"), name, procsFiles -> run(procsFiles, "true") == 0);
        assumeThat(groups.missing()).isEmpty();
    }

    @AfterEach
    void close() {
        for (var left : groups.existing()) {
            groups.of(left).destroy();
        }
        groups.close();
    }

    private static Process start(List<Path> procsFiles, String script) throws IOException {
        var arguments =
                new ArrayList<>(
                        List.of(
                                "sh",
                                "-c",
                                "for d; do echo $$ > $d || exit 9; done; " + script,
                                "sh"));
        procsFiles.forEach(file -> arguments.add(file.toString()));
        return new ProcessBuilder(arguments)
                .redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                .start();
    }

    private static int run(List<Path> procsFiles, String script) throws IOException {
        try {
            var process = start(procsFiles, script);
            return process.waitFor(30, TimeUnit.SECONDS) ? process.exitValue() : -1;
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    @Test
    void enforcesMemoryLimitAndCountsKills() throws IOException {
        var group = groups.of("one");
        group.create(LIMITS);

        int code = run(group.procsFiles(), "exec python3 -c 'x = bytearray(1 << 30)'");

        assertThat(code).isEqualTo(137);
        assertThat(group.pressure().oomKills()).isEqualTo(1);
        group.destroy();
        assertThat(group.pressure().oomKills()).isEqualTo(1); // also after its removal
        assertThat(groups.existing()).isEmpty();
    }

    @Test
    void limitsAndKillsForkBomb() throws Exception {
        var group = groups.of("one");
        group.create(LIMITS);
        var bomb =
                start(
                        group.procsFiles(),
                        """
                        exec python3 -c '
                        import os
                        while True:
                            try: os.fork()
                            except OSError: pass'
                        """);
        Awaitility.await()
                .atMost(Duration.ofMinutes(1))
                .until(() -> group.pressure().refusedForks() > 10);
        assertThat(group.members()).hasSizeLessThanOrEqualTo(20);
        long refused = group.pressure().refusedForks();

        group.destroy();

        assertThat(bomb.waitFor(30, TimeUnit.SECONDS)).isTrue();
        assertThat(group.members()).isEmpty();
        assertThat(groups.existing()).isEmpty();
        assertThat(group.pressure().refusedForks()).isGreaterThanOrEqualTo(refused);
    }

    @Test
    void replacesGroupOfEarlierServer() throws Exception {
        var left = groups.of("one");
        left.create(LIMITS);
        var sleeper = start(left.procsFiles(), "exec sleep 600");
        Awaitility.await().atMost(Duration.ofMinutes(1)).until(() -> !left.members().isEmpty());

        var group = groups.of("one");
        group.create(new ResolvedLimits(32, 50, 20, 10));

        assertThat(sleeper.waitFor(30, TimeUnit.SECONDS)).isTrue();
        assertThat(group.members()).isEmpty();
        assertThat(group.pressure()).isEqualTo(new Pressure(0, 0));
    }

    @Test
    void killsStoppedProcess() throws Exception {
        var group = groups.of("one");
        group.create(LIMITS);
        var stopped = start(group.procsFiles(), "kill -STOP $$; exec sleep 600");
        Awaitility.await().atMost(Duration.ofMinutes(1)).until(() -> !group.members().isEmpty());

        group.destroy();

        assertThat(stopped.waitFor(30, TimeUnit.SECONDS)).isTrue();
    }

    /** Next to version 1, version 2 is mounted without controllers, but supports killing. */
    @Test
    void killsWholeGroupInVersion2() throws Exception {
        var unified = Path.of("/sys/fs/cgroup/unified");
        var mount = Files.exists(unified) ? unified : Path.of("/sys/fs/cgroup");
        assumeThat(mount.resolve("cgroup.controllers")).exists();
        var parent = mount.resolve(name);
        Files.createDirectory(parent);
        try {
            var group =
                    new ControlGroup(
                            "one",
                            List.of(new Hierarchy(ControlGroupVersion.V2, parent, Set.of())));
            group.create(LIMITS);
            var daemon = start(group.procsFiles(), "(setsid sleep 600 &) ; exec sleep 600");
            Awaitility.await()
                    .atMost(Duration.ofMinutes(1))
                    .until(() -> group.members().size() == 2);
            assertThat(parent.resolve("one/cgroup.kill")).exists();

            group.destroy();

            assertThat(daemon.waitFor(30, TimeUnit.SECONDS)).isTrue();
            assertThat(parent.resolve("one")).doesNotExist();
        } finally {
            Files.delete(parent);
        }
    }
}

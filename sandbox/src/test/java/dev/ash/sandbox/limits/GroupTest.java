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

/** Control groups of this machine's kernel, whichever version it has, with real processes. */
class GroupTest {
    private static final Bounds BOUNDS = new Bounds(64, 50, 20, 10);

    private final String name = "ash-test-" + UUID.randomUUID();
    private Groups groups;

    @BeforeEach
    void open() {
        groups = Groups.open(Path.of("/proc/self"), name, doors -> run(doors, "true") == 0);
        assumeThat(groups.missing()).isEmpty();
    }

    @AfterEach
    void close() {
        for (var left : groups.existing()) {
            groups.of(left).end();
        }
        groups.close();
    }

    private static Process start(List<Path> doors, String script) throws IOException {
        var words =
                new ArrayList<>(
                        List.of(
                                "sh",
                                "-c",
                                "for d; do echo $$ > $d || exit 9; done; " + script,
                                "sh"));
        doors.forEach(door -> words.add(door.toString()));
        return new ProcessBuilder(words)
                .redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                .start();
    }

    private static int run(List<Path> doors, String script) throws IOException {
        try {
            var process = start(doors, script);
            return process.waitFor(30, TimeUnit.SECONDS) ? process.exitValue() : -1;
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    @Test
    void holdsAProcessToItsMemoryAndCountsThat() throws IOException {
        var group = groups.of("one");
        group.make(BOUNDS);

        int code = run(group.doors(), "exec python3 -c 'x = bytearray(1 << 30)'");

        assertThat(code).isEqualTo(137);
        assertThat(group.pressure().oomKills()).isEqualTo(1);
        group.end();
        assertThat(group.pressure().oomKills()).isEqualTo(1); // also when it is gone
        assertThat(groups.existing()).isEmpty();
    }

    @Test
    void holdsAForkBombAndEndsIt() throws Exception {
        var group = groups.of("one");
        group.make(BOUNDS);
        var bomb =
                start(
                        group.doors(),
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

        group.end();

        assertThat(bomb.waitFor(30, TimeUnit.SECONDS)).isTrue();
        assertThat(group.members()).isEmpty();
        assertThat(groups.existing()).isEmpty();
        assertThat(group.pressure().refusedForks()).isGreaterThanOrEqualTo(refused);
    }

    @Test
    void isMadeAnewOverWhatAnEarlierServerLeft() throws Exception {
        var left = groups.of("one");
        left.make(BOUNDS);
        var sleeper = start(left.doors(), "exec sleep 600");
        Awaitility.await().atMost(Duration.ofMinutes(1)).until(() -> !left.members().isEmpty());

        var group = groups.of("one");
        group.make(new Bounds(32, 50, 20, 10));

        assertThat(sleeper.waitFor(30, TimeUnit.SECONDS)).isTrue();
        assertThat(group.members()).isEmpty();
        assertThat(group.pressure()).isEqualTo(new Pressure(0, 0));
    }

    @Test
    void aStoppedProcessEndsToo() throws Exception {
        var group = groups.of("one");
        group.make(BOUNDS);
        var stopped = start(group.doors(), "kill -STOP $$; exec sleep 600");
        Awaitility.await().atMost(Duration.ofMinutes(1)).until(() -> !group.members().isEmpty());

        group.end();

        assertThat(stopped.waitFor(30, TimeUnit.SECONDS)).isTrue();
    }

    /** Where the second version is mounted beside the first it has no limits, but it can kill. */
    @Test
    void theSecondVersionKillsAllAtOnce() throws Exception {
        var unified = Path.of("/sys/fs/cgroup/unified");
        var mount = Files.exists(unified) ? unified : Path.of("/sys/fs/cgroup");
        assumeThat(mount.resolve("cgroup.controllers")).exists();
        var parent = mount.resolve(name);
        Files.createDirectory(parent);
        try {
            var group = new Group("one", List.of(new Hierarchy(Version.V2, parent, Set.of())));
            group.make(BOUNDS);
            var daemon = start(group.doors(), "(setsid sleep 600 &) ; exec sleep 600");
            Awaitility.await()
                    .atMost(Duration.ofMinutes(1))
                    .until(() -> group.members().size() == 2);
            assertThat(parent.resolve("one/cgroup.kill")).exists();

            group.end();

            assertThat(daemon.waitFor(30, TimeUnit.SECONDS)).isTrue();
            assertThat(parent.resolve("one")).doesNotExist();
        } finally {
            Files.delete(parent);
        }
    }
}

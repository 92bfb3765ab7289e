package dev.ash.e2e.isolation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.ash.e2e.AshExtension;
import dev.ash.e2e.AshServer;
import dev.ash.e2e.Mounts;
import dev.ash.e2e.Processes;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.Executors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Checks that sessions with daemons leave no processes, control groups, mounts or files behind. */
class SandboxCleanupTest {
    private static final int SESSIONS = Integer.getInteger("ash.leftovers", 24);
    private static final int CONCURRENT_SESSIONS = 4;

    /**
     * Daemons with their own process session, ignored signals, a stopped state, or a new parent.
     */
    private static final String DAEMONS =
            """
            setsid -f sleep 1000
            nohup sleep 1001 >/dev/null 2>&1 &
            (trap '' TERM HUP INT; setsid sleep 1002 >/dev/null 2>&1 &) &
            (sleep 1003 >/dev/null 2>&1 & kill -STOP $!) &
            python3 -c 'import os, time
            if os.fork() == 0:
                os.setsid()
                if os.fork() == 0:
                    time.sleep(1004)
                os._exit(0)
            '
            mkfifo /tmp/fifo; (cat /tmp/fifo &) 2>/dev/null >/dev/null
            ls /proc | grep -c '^[0-9]'
            """;

    @Test
    void removesEverythingOfEndedSessions() throws Exception {
        try (var ash = AshExtension.demo().agent("messy").open()) {
            var parents = parents(ash.server());

            try (var threads = Executors.newFixedThreadPool(CONCURRENT_SESSIONS)) {
                var sessions = new ArrayList<Callable<Void>>();
                for (int i = 0; i < SESSIONS; i++) {
                    sessions.add(() -> runDaemons(ash.server()));
                }
                for (var done : threads.invokeAll(sessions)) {
                    done.get();
                }
            }

            assertThat(
                            Processes.matching(
                                    process ->
                                            process.mentions(ash.server().marker())
                                                    && process.pid()
                                                            != ash.server().process().pid()))
                    .isEmpty();
            assertThat(groups(parents)).isEmpty();
            // Deleted images are unmounted in the background; one may be ready for the next
            // session.
            await().atMost(Duration.ofMinutes(1)).until(() -> Mounts.below(ash.data()).size() <= 1);
            assertThat(Mounts.below(ash.data().resolve("sandboxes"))).isEmpty();
            assertThat(names(ash.data().resolve("sandboxes"))).isEmpty();
            assertThat(names(ash.data().resolve("egress"))).isEmpty();
            assertThat(ash.api().get("/health").expect(200).at("/orphans").asInt(-1)).isZero();
            assertThat(openSockets(ash.server())).isLessThan(20);
        }
    }

    /** The sandboxes of a killed server terminate themselves when their lease expires. */
    @Test
    void removesEverythingOfAKilledServerAfterItsLease() throws Exception {
        var server = AshServer.start(Map.of("ASH_BRIDGE_GRACE_MS", "1500"));
        try {
            server.deploy("messy");
            var parents = parents(server);
            for (int i = 0; i < 3; i++) {
                assertThat(server.session("messy").exec(DAEMONS).path("exitCode").asInt()).isZero();
            }

            server.kill();

            var marker = server.marker();
            await().atMost(Duration.ofMinutes(1))
                    .until(() -> Processes.matching(p -> p.mentions(marker)).isEmpty());
            server = server.startAgain();
            assertThat(server.api().get("/health").expect(200).at("/orphans").asInt(-1)).isZero();
            assertThat(groups(parents)).isEmpty();
        } finally {
            server.close();
        }
    }

    private static Void runDaemons(AshServer server) {
        var session = server.session("messy");
        var result = session.exec(DAEMONS);
        assertThat(result.path("stdout").asString().strip())
                .as(result.toString())
                .matches("[1-9][0-9]");
        session.end().expect(200);
        return null;
    }

    /** Returns the parents of the sandboxes' control groups in all hierarchies. */
    private static List<Path> parents(AshServer server) throws IOException {
        var session = server.session("messy");
        var parents = new ArrayList<Path>();
        for (var line : Files.readAllLines(Path.of("/proc/" + session.bridgePid() + "/cgroup"))) {
            var parts = line.split(":", 3);
            if (parts[2].endsWith(session.created().path("sandboxId").asString())) {
                for (var controller : parts[1].split(",")) {
                    parents.add(Path.of("/sys/fs/cgroup", controller, parts[2]).getParent());
                }
            }
        }
        session.end().expect(200);
        return parents;
    }

    private static List<String> groups(List<Path> parents) throws IOException {
        var groups = new ArrayList<String>();
        for (var parent : parents) {
            if (Files.exists(parent)) {
                try (var directories = Files.list(parent)) {
                    directories.filter(Files::isDirectory).map(Path::toString).forEach(groups::add);
                }
            }
        }
        return groups;
    }

    private static List<String> names(Path directory) throws IOException {
        try (var entries = Files.exists(directory) ? Files.list(directory) : Stream.<Path>empty()) {
            return entries.map(Path::toString).toList();
        }
    }

    private static long openSockets(AshServer server) throws IOException {
        try (var files = Files.list(Path.of("/proc/" + server.process().pid() + "/fd"))) {
            return files.filter(file -> target(file).startsWith("socket:")).count();
        }
    }

    private static String target(Path link) {
        try {
            return Files.readSymbolicLink(link).toString();
        } catch (IOException e) {
            return "";
        }
    }
}

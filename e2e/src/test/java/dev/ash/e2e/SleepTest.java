package dev.ash.e2e;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Checks that sleeping sessions use almost no memory and answer the next prompt. */
@Busy
class SleepTest {
    /** Documented scale: 300; the default shows the same in less time. */
    private static final int SESSIONS = Integer.getInteger("ash.sleepers", 60);

    private static final int MAX_SANDBOXES = 20;
    private static final int MAX_CONCURRENT = 8; // higher concurrency only adds waiting

    @Test
    @Timeout(900)
    void sleepingSessionsUseLittleMemoryAndAnswer() throws Exception {
        var settings =
                Map.of(
                        "ASH_IDLE_TIMEOUT_MS",
                        "2000",
                        "ASH_MAX_SANDBOXES",
                        Integer.toString(MAX_SANDBOXES));
        try (var server = AshServer.start(settings)) {
            server.deploy("hello");
            awaitOnlyTheServer(server); // it first records class data of the bridge
            long before = memory(server);

            var sessions =
                    ConcurrentTasks.run(
                            SESSIONS,
                            MAX_CONCURRENT,
                            i -> {
                                var session = server.session("hello");
                                session.ask("I am number " + i);
                                return session;
                            });
            awaitOnlyTheServer(server);
            long after = memory(server);

            System.out.printf(
                    "%d sessions asleep: %d MB before, %d MB after%n",
                    SESSIONS, before >> 20, after >> 20);
            assertThat(sessions).allSatisfy(s -> assertThat(s.status()).isEqualTo("active"));
            assertThat(after - before).isLessThan(200L << 20);

            ConcurrentTasks.run(
                    SESSIONS,
                    MAX_CONCURRENT,
                    i -> {
                        var frames = sessions.get(i).ask("which number?");
                        assertThat(Frame.names(frames)).contains("message").doesNotContain("error");
                        assertThat(sessions.get(i).messages().getFirst().toString())
                                .contains("I am number " + i);
                        return 0;
                    });
        }
    }

    private static void awaitOnlyTheServer(AshServer server) {
        await().atMost(Duration.ofSeconds(90)).until(() -> processes(server).size() == 1);
    }

    private static List<Processes.Found> processes(AshServer server) {
        return Processes.matching(
                process ->
                        process.mentions(server.marker())
                                || process.mentions(server.data().toString()));
    }

    /** Returns the memory of all processes of this server; shared pages count proportionally. */
    private static long memory(AshServer server) throws IOException {
        long bytes = 0;
        for (var process : processes(server)) {
            bytes += proportionalSetSize(process.pid());
        }
        assertThat(bytes).isPositive();
        return bytes;
    }

    private static long proportionalSetSize(long pid) throws IOException {
        return Files.readAllLines(Path.of("/proc/" + pid + "/smaps_rollup")).stream()
                .filter(line -> line.startsWith("Pss:"))
                .mapToLong(line -> Long.parseLong(line.replaceAll("\\D", "")) * 1024)
                .sum();
    }
}

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

/** Sessions that nobody uses cost next to nothing, and answer as if they had never slept. */
@Busy
class SleepTest {
    /** 300 is what we promise; fewer show the same in less time. */
    private static final int SESSIONS = Integer.getInteger("ash.sleepers", 30);

    private static final int ROOM = 10;
    private static final int WIDTH = 8; // more would only wait for each other

    @Test
    @Timeout(900)
    void sleepingSessionsCostNoMemoryAndEachAnswers() throws Exception {
        var settings =
                Map.of("ASH_IDLE_TIMEOUT_MS", "2000", "ASH_MAX_SANDBOXES", Integer.toString(ROOM));
        try (var server = AshServer.start(settings)) {
            server.deploy("hello");
            awaitOnlyTheServer(server); // which prepares a faster start of bridges at first
            long before = memory(server);

            var sessions =
                    AtOnce.some(
                            SESSIONS,
                            WIDTH,
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

            AtOnce.some(
                    SESSIONS,
                    WIDTH,
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

    /** Of all processes of this server, each shared page by its share. */
    private static long memory(AshServer server) throws IOException {
        long bytes = 0;
        for (var process : processes(server)) {
            bytes += proportional(process.pid());
        }
        assertThat(bytes).isPositive();
        return bytes;
    }

    private static long proportional(long pid) throws IOException {
        return Files.readAllLines(Path.of("/proc/" + pid + "/smaps_rollup")).stream()
                .filter(line -> line.startsWith("Pss:"))
                .mapToLong(line -> Long.parseLong(line.replaceAll("\\D", "")) * 1024)
                .sum();
    }
}

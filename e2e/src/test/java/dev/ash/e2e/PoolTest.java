package dev.ash.e2e;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;

/**
 * Tests the sandbox pool: warm sandboxes, the maximum number of sandboxes, and isolation between
 * sessions.
 */
class PoolTest {
    private static final int CAPACITY = 4;

    @Test
    void newSessionClaimsWarmSandboxWithoutForeignData() throws IOException {
        var directory = TestDirectory.create();
        try (var server = AshServer.start(fakeClaude(directory), directory)) {
            server.deploy("hello");
            awaitWarm(server, 1);

            var first = create(server, "of-the-first");
            assertThat(pool(server).path("preWarmHits").asInt()).isEqualTo(1);
            assertHasOwnEnvironment(first, "of-the-first");
            first.exec(
                    "echo of-the-first > note.txt; echo of-the-first > ~/note; echo x > /tmp/of-the-first");
            awaitWarm(server, 1);

            var second = create(server, "of-the-second");
            assertThat(pool(server).path("preWarmHits").asInt()).isEqualTo(2);
            assertHasOwnEnvironment(second, "of-the-second");
            var everything =
                    second.exec(
                                    "ls -a /workspace ~ /tmp; grep -rs of-the-f[i]rst /workspace ~ /tmp;"
                                            + " cat /proc/*/environ /proc/*/cmdline")
                            .path("stdout")
                            .asString();
            assertThat(everything)
                    .contains("CLAUDE.md", second.id())
                    .doesNotContain("of-the-first", first.id(), "note");
            first.end().expect(200);
            assertThat(second.exec("echo still here").path("stdout").asString())
                    .isEqualTo("still here\n");
        }
    }

    private static Map<String, String> fakeClaude(TestDirectory directory) throws IOException {
        var program =
                directory
                        .write("bin", Map.of("claude", Resources.text("engines/fake_claude.py")))
                        .resolve("claude");
        Files.setPosixFilePermissions(program, PosixFilePermissions.fromString("rwxr-xr-x"));
        return Map.of(
                "ASH_ENGINE",
                "claude",
                "CLAUDE_CODE_EXECUTABLE",
                program.toString(),
                "ASH_PREWARM",
                "1");
    }

    private static TestSession create(AshServer server, String secret) {
        return server.session(
                Map.of(
                        "agent",
                        "hello",
                        "extraEnv",
                        Map.of("SECRET", secret, "MY_" + secret, "1")));
    }

    /** Checks the session's environment in a command and in the engine. */
    private static void assertHasOwnEnvironment(TestSession session, String secret) {
        assertThat(
                        session.exec("echo $ASH_SESSION_ID $SECRET; cat CLAUDE.md")
                                .path("stdout")
                                .asString())
                .isEqualTo("%s %s\nYou are hello.\n".formatted(session.id(), secret));
        assertThat(Frame.said(session.ask("ENV")))
                .contains("\"ASH_SESSION_ID\": \"" + session.id() + "\"")
                .contains("\"SECRET\": \"" + secret + "\"");
    }

    @Test
    void newAgentVersionDoesNotUseOldSandbox() {
        try (var server = AshServer.start(Map.of("ASH_PREWARM", "1"))) {
            server.deploy("hello", Map.of("CLAUDE.md", "version 1"));
            awaitWarm(server, 1);
            var old = Processes.namespacesOf(server.marker());

            server.deploy("hello", Map.of("CLAUDE.md", "version 2"));

            assertThat(Processes.namespacesOf(server.marker())).doesNotContainAnyElementsOf(old);
            awaitWarm(server, 1);
            var session = server.session("hello");
            assertThat(session.exec("cat CLAUDE.md").path("stdout").asString())
                    .isEqualTo("version 2");
            assertThat(pool(server).path("preWarmHits").asInt()).isEqualTo(1);
            server.api().delete("/api/agents/hello").expect(200);
            await().atMost(Duration.ofMinutes(1))
                    .until(() -> pool(server).path("total").asInt() == 0);
            assertThat(Processes.namespacesOf(server.marker())).isEmpty();
            assertThat(server.data().resolve("sandboxes").toFile().list()).isEmpty();
        }
    }

    @Test
    void evictsIdleSessionsWhenSessionsExceedCapacity() throws Exception {
        try (var server =
                AshServer.start(Map.of("ASH_MAX_SANDBOXES", "" + CAPACITY, "ASH_PREWARM", "1"))) {
            server.deploy("hello");
            var maximum = new SandboxCounter(server.marker());

            var sessions = ConcurrentTasks.runAll(3 * CAPACITY, _ -> createWithRetry(server));
            ConcurrentTasks.runAll(
                    3 * CAPACITY,
                    i -> {
                        await().atMost(Duration.ofSeconds(60))
                                .until(() -> isAnswered(server, sessions.get(i)));
                        return 0;
                    });

            assertThat(maximum.seen()).isBetween(2, CAPACITY);
            assertThat(sessions).allSatisfy(s -> assertThat(s.status()).isEqualTo("active"));
            var pool = pool(server);
            assertThat(pool.path("maxCapacity").asInt()).isEqualTo(CAPACITY);
            assertThat(pool.path("total").asInt()).isGreaterThanOrEqualTo(3 * CAPACITY);
            assertThat(pool.path("cold").asInt()).isGreaterThanOrEqualTo(2 * CAPACITY);
            assertThat(pool.path("resumeColdHits").asInt()).isPositive();
            assertThat(server.api().get("/metrics").text())
                    .contains("ash_pool_max_capacity " + CAPACITY)
                    .contains("ash_pool_sandboxes{state=\"cold\"} " + pool.path("cold").asInt());
        }
    }

    /** Retries on 503: starting sandboxes cannot be evicted, so a burst may be rejected. */
    private static TestSession createWithRetry(AshServer server) {
        var answer = new ApiResponse[1];
        await().atMost(Duration.ofSeconds(60))
                .until(
                        () -> {
                            answer[0] =
                                    server.api().post("/api/sessions", Map.of("agent", "hello"));
                            return answer[0].status() != 503;
                        });
        return new TestSession(server, answer[0].expect(201).at("/session"));
    }

    private static boolean isAnswered(AshServer server, TestSession session) {
        var answer = server.api().post(session.path() + "/messages", Map.of("content", "hello"));
        if (answer.status() == 503) {
            return false;
        }
        assertThat(Frame.names(answer.frames())).contains("message").endsWith("done");
        return true;
    }

    @Test
    void rejectsNewWorkWhenAllSandboxesAreBusy() {
        try (var server = AshServer.start(Map.of("ASH_MAX_SANDBOXES", "2"))) {
            server.deploy("hello");
            var idle = server.session("hello");
            var turns = new ArrayList<FrameReader>();
            for (int i = 0; i < 2; i++) {
                turns.add(server.session("hello").send("demo: slow 600"));
            }

            server.api()
                    .post("/api/sessions", Map.of("agent", "hello"))
                    .refused(
                            503,
                            "CAPACITY_REACHED",
                            "All 2 sandboxes are in use",
                            "interrupt a turn",
                            "ASH_MAX_SANDBOXES");
            server.api()
                    .post(idle.path() + "/messages", Map.of("content", "hello"))
                    .refused(503, "CAPACITY_REACHED", "All 2 sandboxes are in use");
            assertThat(idle.status()).isEqualTo("active");
            assertThat(pool(server).path("running").asInt()).isEqualTo(2);

            var sessions = server.api().get("/api/sessions?status=active").at("/sessions");
            sessions.forEach(
                    row ->
                            server.api()
                                    .postNothing(
                                            "/api/sessions/"
                                                    + row.path("id").asString()
                                                    + "/interrupt"));
            turns.forEach(turn -> assertThat(Frame.names(turn.rest())).doesNotContain("error"));
            assertThat(Frame.names(idle.ask("hello"))).contains("message");
        }
    }

    @Test
    void endedSessionsLeaveNoResources() throws Exception {
        try (var server = AshServer.start(Map.of("ASH_PREWARM", "1"))) {
            server.deploy("hello");

            ConcurrentTasks.run(50, 5, _ -> server.session("hello").end().expect(200));
            server.api().patch("/api/agents/hello/config", Map.of("preWarmCount", 0)).expect(200);

            await().atMost(Duration.ofMinutes(1))
                    .until(() -> pool(server).path("total").asInt() == 0);
            assertThat(server.data().resolve("sandboxes").toFile().list()).isEmpty();
            assertThat(new Store(server.data()).count("sandboxes")).isZero();
            assertThat(Processes.namespacesOf(server.marker())).isEmpty();
        }
    }

    private static JsonNode pool(AshServer server) {
        return server.api().get("/health").expect(200).at("/pool");
    }

    private static void awaitWarm(AshServer server, int count) {
        await().atMost(Duration.ofMinutes(1))
                .pollInterval(Duration.ofMillis(20))
                .until(() -> pool(server).path("warm").asInt() == count);
    }

    /**
     * Continuously counts the PID namespaces with processes of this server and records the maximum.
     */
    private static final class SandboxCounter {
        private final AtomicBoolean stopped = new AtomicBoolean();
        private final CompletableFuture<Integer> maximum;

        SandboxCounter(String marker) {
            maximum =
                    CompletableFuture.supplyAsync(
                            () -> {
                                int seen = 0;
                                while (!stopped.get()) {
                                    seen = Math.max(seen, Processes.namespacesOf(marker).size());
                                }
                                return seen;
                            });
        }

        int seen() {
            stopped.set(true);
            return maximum.join();
        }
    }
}

package dev.ash.e2e;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * Tests limits of tenants and sessions on a real server: they are exact under concurrency, return a
 * clear error, and are released again.
 */
class QuotaTest {
    private static final int CONCURRENT_REQUESTS = 12;

    @RegisterExtension
    static final AshExtension ash =
            AshExtension.demo()
                    .with("ASH_TENANT_MAX_SESSIONS", "1000,small=3,few=3")
                    .with("ASH_TENANT_MAX_AGENTS", "1000,small=2")
                    .with("ASH_TENANT_MAX_SANDBOXES", "1000,small=2")
                    .with("ASH_TENANT_MAX_STORAGE_MB", "1000,tiny=2")
                    .with("ASH_SESSION_LOG_MB", "1");

    private static Api small; // tenant with its own limits

    @BeforeAll
    static void start() {

        small = Tenant.key(ash.server(), "small");
        ash.deploy("hello");
    }

    @AfterAll
    static void stop() {
        small.close();
    }

    private static ApiResponse deploy(Api api, String name, String text) {
        return api.post("/api/agents", Map.of("name", name, "systemPrompt", text));
    }

    private static long created(List<ApiResponse> answers) {
        return answers.stream().filter(answer -> answer.status() == 201).count();
    }

    @Test
    void enforcesTenantLimitsExactly() throws Exception {
        long before = directories();
        var agents =
                ConcurrentTasks.runAll(
                        CONCURRENT_REQUESTS, n -> deploy(small, "agent-" + n, "You are small."));

        assertThat(created(agents)).isEqualTo(2);
        agents.stream()
                .filter(answer -> answer.status() != 201)
                .forEach(
                        answer ->
                                answer.refused(
                                        429,
                                        "QUOTA_EXCEEDED",
                                        "2 agents",
                                        "ASH_TENANT_MAX_AGENTS",
                                        "Delete an agent"));
        assertThat(directories() - before).as("new agent directories").isEqualTo(2);
        var names =
                small.get("/api/agents")
                        .expect(200)
                        .at("/agents")
                        .valueStream()
                        .map(agent -> agent.path("name").asString())
                        .toList();
        deploy(small, names.getFirst(), "A new version is no new agent.").expect(201);
        small.delete("/api/agents/" + names.getLast()).expect(200);
        deploy(small, "hello", "Released.").expect(201);
        ash.deploy("not-of-the-small-tenant");

        assertSandboxesAreLimited();
        assertSessionsAreLimited();
    }

    private static long directories() throws IOException {
        try (var directories = Files.list(ash.data().resolve("agents"))) {
            return directories.count();
        }
    }

    @Test
    void createsExactlyAllowedNumberOfConcurrentSessions() throws Exception {
        try (var few = Tenant.key(ash.server(), "few")) {
            deploy(few, "hello", "You are one of few.").expect(201);
            for (int round = 0; round < 3; round++) {
                var answers =
                        ConcurrentTasks.runAll(
                                CONCURRENT_REQUESTS,
                                _ -> few.post("/api/sessions", Map.of("agent", "hello")));

                assertThat(created(answers)).isEqualTo(3);
                answers.stream()
                        .filter(answer -> answer.status() != 201)
                        .forEach(answer -> answer.refused(429, "QUOTA_EXCEEDED", "3 sessions"));
                for (var answer : answers) {
                    if (answer.status() == 201) {
                        few.delete("/api/sessions/" + answer.at("/session/id").asString())
                                .expect(200);
                    }
                }
            }
        }
    }

    private static void assertSandboxesAreLimited() {
        var first = session(small);
        var second = session(small);
        try (var a = slow(first);
                var b = slow(second)) {
            a.next("message");
            b.next("message");
            small.post("/api/sessions", Map.of("agent", "hello"))
                    .refused(429, "QUOTA_EXCEEDED", "2 sandboxes", "ASH_TENANT_MAX_SANDBOXES");
            ash.session("hello").end().expect(200); // other tenants have their own limit
            small.postNothing("/api/sessions/" + second + "/interrupt").expect(200);
            b.next("done");
            var third = session(small); // evicts the second, which is idle
            small.delete("/api/sessions/" + third).expect(200);
            small.postNothing("/api/sessions/" + first + "/interrupt").expect(200);
            a.next("done");
        }
        endAll();
    }

    private static FrameReader slow(String session) {
        return small.stream(
                "/api/sessions/" + session + "/messages", Map.of("content", "demo: slow 5000"));
    }

    private static String session(Api api) {
        return api.post("/api/sessions", Map.of("agent", "hello"))
                .expect(201)
                .at("/session/id")
                .asString();
    }

    private static void endAll() {
        small.get("/api/sessions?limit=1000")
                .expect(200)
                .at("/sessions")
                .valueStream()
                .filter(session -> !session.path("status").asString().equals("ended"))
                .forEach(
                        session ->
                                small.delete("/api/sessions/" + session.path("id").asString())
                                        .expect(200));
    }

    private static void assertSessionsAreLimited() throws Exception {
        var answers =
                ConcurrentTasks.runAll(
                        CONCURRENT_REQUESTS,
                        _ -> small.post("/api/sessions", Map.of("agent", "hello")));

        // An admitted session may get no sandbox; then it does not count.
        var counted = notEnded();
        assertThat(counted).isLessThanOrEqualTo(3);
        assertThat(created(answers)).isLessThanOrEqualTo(3);
        for (var one = counted; one < 3; one++) {
            session(small);
        }
        small.post("/api/sessions", Map.of("agent", "hello"))
                .refused(
                        429,
                        "QUOTA_EXCEEDED",
                        "3 sessions",
                        "ASH_TENANT_MAX_SESSIONS",
                        "End a session");
        var active =
                small.get("/api/sessions?limit=1000")
                        .expect(200)
                        .at("/sessions")
                        .valueStream()
                        .filter(session -> session.path("status").asString().equals("active"))
                        .map(session -> session.path("id").asString())
                        .findFirst()
                        .orElseThrow();
        small.post("/api/sessions/" + active + "/fork", Map.of()).refused(429, "QUOTA_EXCEEDED");
        small.delete("/api/sessions/" + active).expect(200);
        session(small);
        assertThat(notEnded()).isEqualTo(3);
    }

    private static long notEnded() {
        return small.get("/api/sessions?limit=1000")
                .expect(200)
                .at("/sessions")
                .valueStream()
                .map(session -> session.path("status").asString())
                .filter(status -> !status.equals("ended") && !status.equals("error"))
                .count();
    }

    @Test
    void enforcesStorageLimitExactlyAndPurgeReleasesIt() throws Exception {
        try (var tiny = Tenant.key(ash.server(), "tiny")) {
            deploy(tiny, "hello", "You are tiny.").expect(201);
            var session = session(tiny);
            var path = "/api/sessions/" + session + "/messages";
            var files = "x".repeat(300 * 1024);

            var agents =
                    ConcurrentTasks.runAll(
                            CONCURRENT_REQUESTS, n -> deploy(tiny, "agent-" + n, files));

            assertThat(created(agents)).isEqualTo(6); // 6 * 300 KB; the seventh exceeds the limit
            var refused =
                    agents.stream().filter(answer -> answer.status() != 201).findFirst().get();
            refused.refused(
                    429, "QUOTA_EXCEEDED", "2 MB", "ASH_TENANT_MAX_STORAGE_MB", "purge=true");
            tiny.post(path, Map.of("content", files)).refused(429, "QUOTA_EXCEEDED");
            var gone = agents.stream().filter(answer -> answer.status() == 201).findFirst().get();
            tiny.delete("/api/agents/" + gone.at("/agent/name").asString()).expect(200);
            assertThat(Frame.names(tiny.post(path, Map.of("content", files)).frames()))
                    .endsWith("done");
            tiny.post(path, Map.of("content", files)).refused(429, "QUOTA_EXCEEDED");

            tiny.delete("/api/sessions/" + session + "?purge=true").expect(200);

            deploy(tiny, "agent-again", files).expect(201);
        }
    }

    @Test
    void fullLogFailsTurnAndRejectsMessages() {
        var session = ash.session("hello");
        var prompt = "x".repeat(300 * 1024);
        for (int i = 0; i < 2; i++) {
            assertThat(Frame.names(session.ask(prompt))).endsWith("done");
        }

        var frames = session.ask("demo: messages 3000");

        assertThat(Frame.names(frames)).endsWith("error", "done");
        assertThat(frames.get(frames.size() - 2).data())
                .contains("limit of 1 MB", "ASH_SESSION_LOG_MB", "new session", "purge=true");
        session.awaitStatus("error");
        long stored =
                new Store(ash.data())
                        .log(session.id()).stream().mapToLong(row -> row.data().length()).sum();
        assertThat(stored).isLessThan(1024 * 1024);
        ash.api()
                .post(session.path() + "/messages", Map.of("content", prompt))
                .refused(409, "SESSION_LOG_FULL", "limit of 1 MB", "fork");
        ash.session("hello").ask("demo: messages 10"); // other sessions continue
    }

    @Test
    void purgeRemovesLogAndEndKeepsIt() throws IOException {
        var session = ash.session("hello");
        session.ask("remember this");
        var events = session.events().size();
        session.end().expect(200);
        assertThat(session.events()).hasSizeGreaterThan(events); // the end was logged, too
        session.end().expect(200);
        ash.api().delete(session.path() + "?purge=yes").refused(400, "VALIDATION_FAILED");
        try (var follower = ash.api().follow(session.path() + "/stream")) {
            follower.next("done");
            small.delete(session.path() + "?purge=true").refused(404, "SESSION_NOT_FOUND");

            ash.api()
                    .delete(session.path() + "?purge=true")
                    .expect(200)
                    .at("/session/status")
                    .asString();

            assertThat(follower.next()).as("the stream ends").isNull();
        }
        ash.api().get(session.path()).refused(404, "SESSION_NOT_FOUND");
        ash.api().get(session.path() + "/events").refused(404, "SESSION_NOT_FOUND");
        ash.api().delete(session.path() + "?purge=true").refused(404, "SESSION_NOT_FOUND");
        await().atMost(Duration.ofMinutes(1))
                .until(() -> new Store(ash.data()).log(session.id()).isEmpty());
        session.awaitRemoval();

        var running = ash.session("hello");
        try (var turn = running.send("demo: slow 5000")) {
            turn.next("message");
            ash.api().delete(running.path() + "?purge=true").expect(200);
            assertThat(Frame.names(turn.rest())).endsWith("error", "done");
        }
    }

    private static String rows(String table, TestSession session) {
        return "%s WHERE session_id = '%s'".formatted(table, session.id());
    }

    private static Path directory(TestSession purged) {
        var sandbox = purged.created().path("sandboxId").asString();
        return ash.data().resolve("sandboxes").resolve(sandbox);
    }

    @Test
    void finishesPurgeAfterServerKill() throws Exception {
        var kept = ash.session("hello");
        kept.ask("stays");
        var purged = partiallyPurged();
        var store = new Store(ash.data());
        assertThat(store.count("sessions WHERE id = '%s'".formatted(purged.id()))).isZero();
        assertThat(store.count("purges")).isEqualTo(1);

        small.close();
        ash.startAgain();
        small = new Api(ash.api().base(), small.key());

        for (var path : List.of("", "/events", "/messages", "/stream")) {
            ash.api().get(purged.path() + path).refused(404, "SESSION_NOT_FOUND");
        }
        assertThat(ash.api().get("/api/sessions?limit=1000").expect(200).text())
                .contains(kept.id())
                .doesNotContain(purged.id());
        await().atMost(Duration.ofMinutes(1))
                .until(
                        () ->
                                store.count("purges") == 0
                                        && store.count(rows("sandboxes", purged)) == 0);
        assertThat(directory(purged)).doesNotExist();
        for (var table : List.of("events", "turns", "sandboxes", "idempotency_keys")) {
            assertThat(store.count(rows(table, purged))).as(table).isZero();
        }
        assertThat(Frame.names(ash.session(kept).ask("still here"))).endsWith("done");
    }

    /** Kills the server while a database lock blocks a partially completed purge. */
    private static TestSession partiallyPurged() throws Exception {
        for (int attempt = 0; attempt < 5; attempt++) {
            var session = ash.session("hello");
            session.ask("demo: messages 2000");
            try (var lock = new Store(ash.data()).lock(() -> purge(session))) {
                if (lock.count("events WHERE session_id = '%s'".formatted(session.id())) > 0) {
                    ash.kill();
                    return session;
                }
            }
        }
        throw new AssertionError("every purge completed before the lock was acquired");
    }

    private static void purge(TestSession session) {
        ash.api().delete(session.path() + "?purge=true").expect(200);
    }
}

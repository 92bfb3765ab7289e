package dev.ash.e2e;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.security.MessageDigest;
import java.time.Duration;
import java.util.HashSet;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests idempotency keys: a repeated request with the same key is executed once. */
class IdempotencyTest {
    private static final int RETRIES = 50;
    private static final String CREATE = "/api/sessions";
    private static final Map<String, String> ECHO = Map.of("agent", "echo");

    @RegisterExtension
    static final AshExtension ash =
            AshExtension.agentsBridge().agentWithBridge("echo", "seed_bridge.py");

    @Test
    void repeatedCreateReturnsSameSession() {
        var key = key();

        var first = ash.api().postOnce(key, CREATE, ECHO).expect(201);
        var again = ash.api().postOnce(key, CREATE, ECHO).expect(201);

        assertThat(again.at("/session/id")).isEqualTo(first.at("/session/id"));
        var other = ash.api().postOnce(key(), CREATE, ECHO).expect(201);
        assertThat(other.at("/session/id")).isNotEqualTo(first.at("/session/id"));
    }

    @Test
    void concurrentCreatesWithOneKeyCreateOneSession() throws Exception {
        var key = key();
        long before = sessions();

        var ids =
                ConcurrentTasks.runAll(
                        RETRIES,
                        _ ->
                                ash.api()
                                        .postOnce(key, CREATE, ECHO)
                                        .expect(201)
                                        .at("/session/id")
                                        .asString());

        assertThat(new HashSet<>(ids)).hasSize(1);
        assertThat(sessions() - before).isEqualTo(1);
    }

    @Test
    void concurrentMessagesWithOneKeyShareOneTurn() throws Exception {
        var session = ash.session("echo");
        var key = key();

        var streams =
                ConcurrentTasks.runAll(RETRIES, _ -> send(key, session, "TRICKLE 100 1000").text());

        assertThat(new HashSet<>(streams)).hasSize(1);
        assertThat(session.messages())
                .filteredOn(row -> row.path("role").asString().equals("user"))
                .hasSize(1);
        assertThat(Frame.only("done", send(key, session, "TRICKLE 100 1000").frames())).hasSize(1);
    }

    @Test
    void retryReturnsStreamOfRunningAndFinishedTurn() {
        var session = ash.session("echo");
        session.ask("before");
        var key = key();
        var running = CompletableFuture.supplyAsync(() -> send(key, session, "TRICKLE 500 1000"));
        session.awaitStatus("active");
        var joined = send(key, session, "TRICKLE 500 1000");
        var first = running.join();
        session.ask("after");
        var late = send(key, session, "TRICKLE 500 1000");

        assertThat(Frame.only("message", first.frames())).hasSize(500);
        assertThat(joined.text()).isEqualTo(first.text());
        assertThat(late.text()).isEqualTo(first.text());
    }

    @Test
    void retryJoinsQueuedPrompt() {
        var session = ash.session("echo");
        var key = key();
        var body = Map.of("content", "later", "whenBusy", "queue");
        var path = session.path() + "/messages";
        try (var turn = session.send("HANG")) {
            turn.next("message");
            var queued = CompletableFuture.supplyAsync(() -> ash.api().postOnce(key, path, body));
            var again = CompletableFuture.supplyAsync(() -> ash.api().postOnce(key, path, body));
            await().atMost(Duration.ofMinutes(1))
                    .until(() -> new Store(ash.data()).count("turns WHERE status = 'queued'") == 1);
            session.post("interrupt").expect(200);
            turn.rest();

            assertThat(again.join().text()).isEqualTo(queued.join().text());
            assertThat(Frame.said(queued.join().frames())).isEqualTo("later");
        }
        assertThat(session.messages()).anyMatch(row -> row.toString().contains("later"));
    }

    @Test
    void retryJoinsTurnAfterServerRestart() {
        var directory = TestDirectory.create();
        var key = key();
        try (var before = AshServer.start(Map.of("ASH_API_KEY", "the-key"), directory)) {
            before.deploy("hello");
            var created = before.api().postOnce(key, CREATE, Map.of("agent", "hello")).expect(201);
            var path = CREATE + "/" + created.at("/session/id").asString() + "/messages";
            var body = Map.of("content", "hello");
            var messageKey = key();
            var first = before.api().postOnce(messageKey, path, body);
            assertThat(Frame.names(first.frames())).endsWith("done");
            before.stop();

            try (var after = AshServer.start(Map.of("ASH_API_KEY", "the-key"), directory)) {
                assertThat(after.api().postOnce(messageKey, path, body).text())
                        .isEqualTo(first.text());
                assertThat(
                                after.api()
                                        .postOnce(key, CREATE, Map.of("agent", "hello"))
                                        .expect(201)
                                        .at("/session/id"))
                        .isEqualTo(created.at("/session/id"));
            }
        }
    }

    @Test
    void rejectsKeyOfDifferentRequest() {
        var key = key();
        ash.api().postOnce(key, CREATE, ECHO).expect(201);
        ash.api()
                .postOnce(key, CREATE, Map.of("agent", "echo", "model", "other"))
                .refused(422, "IDEMPOTENCY_MISMATCH", "key");

        var session = ash.session("echo");
        var other = ash.session("echo");
        var messageKey = key();
        send(messageKey, session, "one").expect(200);
        send(messageKey, session, "two").refused(422, "IDEMPOTENCY_MISMATCH", "key");
        send(messageKey, other, "one").refused(422, "IDEMPOTENCY_MISMATCH", "key");
        assertThat(other.messages()).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {"two words", "tab\there", ""})
    void rejectsInvalidKey(String key) {
        ash.api().postOnce(key, CREATE, ECHO).refused(400, "VALIDATION_FAILED", "Idempotency-Key");
    }

    @Test
    void limitsKeyLength() {
        ash.api().postOnce("k".repeat(255), CREATE, ECHO).expect(201);
        ash.api().postOnce("k".repeat(256), CREATE, ECHO).refused(400, "VALIDATION_FAILED", "255");
    }

    @Test
    void separatesKeysOfTenants() throws Exception {
        var directory = TestDirectory.create();
        var key = key();
        try (var before = AshServer.start(Resources.SEED_BRIDGE, directory)) {
            var mine = createEcho(before, key);
            before.stop();
            addTenant(before, "their-key");

            try (var after = AshServer.start(Resources.SEED_BRIDGE, directory);
                    var them = new Api(after.api().base(), "their-key")) {
                them.get(CREATE + "/" + mine).refused(404, "SESSION_NOT_FOUND");
                them.postOnce(key, CREATE, ECHO).refused(404, "AGENT_NOT_FOUND");
                var files =
                        List.of(
                                Map.of("path", "CLAUDE.md", "content", AshServer.base64("x")),
                                Map.of(
                                        "path",
                                        "bridge.py",
                                        "content",
                                        AshServer.base64(
                                                Resources.text("bridges/seed_bridge.py"))));
                them.post("/api/agents", Map.of("name", "echo", "files", files)).expect(201);
                var theirs = them.postOnce(key, CREATE, ECHO).expect(201).at("/session/id");
                assertThat(theirs.asString()).isNotEqualTo(mine);
                after.api().get(CREATE + "/" + theirs.asString()).refused(404, "SESSION_NOT_FOUND");
            }
        }
    }

    private static String createEcho(AshServer server, String key) {
        server.deploy("echo", Resources.agentWithBridge("seed_bridge.py"));
        return server.api().postOnce(key, CREATE, ECHO).expect(201).at("/session/id").asString();
    }

    /** Inserts the key into the database of a stopped server. */
    private static void addTenant(AshServer stopped, String apiKey) throws Exception {
        var hash = MessageDigest.getInstance("SHA-256").digest(apiKey.getBytes(UTF_8));
        new Store(stopped.data())
                .update(
                        "INSERT INTO api_keys (id, tenant_id, key_hash, key_prefix, label,"
                                + " created_at) VALUES ('theirs', 'another-tenant', ?, 'theirs', 'test',"
                                + " 0)",
                        HexFormat.of().formatHex(hash));
    }

    private static ApiResponse send(String key, TestSession session, String prompt) {
        return ash.api().postOnce(key, session.path() + "/messages", Map.of("content", prompt));
    }

    private static String key() {
        return UUID.randomUUID().toString();
    }

    private static long sessions() {
        return ash.api().get(CREATE).expect(200).at("/total").asLong();
    }
}

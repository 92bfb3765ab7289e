package dev.ash.e2e;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import tools.jackson.databind.JsonNode;

/** Tests API keys and tenants on a real server: creation, revocation, expiry, isolation. */
class KeysTest {
    private static final String KEYS = "/api/api-keys";

    @RegisterExtension static final AshExtension ash = AshExtension.demo().agent("demo");
    private static TestSession session;

    @BeforeAll
    static void start() {

        session = ash.session(Map.of("agent", "demo", "permissionMode", "ask"));
    }

    /** API key with a client that uses it. */
    private record Key(String id, Api api) implements AutoCloseable {
        static Key create(Map<String, ?> request) {
            var created = ash.api().post(KEYS, request).expect(201).json();
            return of(created);
        }

        static Key of(JsonNode created) {
            return new Key(
                    created.path("id").asString(),
                    new Api(ash.api().base(), created.path("key").asString()));
        }

        void revoke() {
            ash.api().delete(KEYS + "/" + id).expect(204);
        }

        @Override
        public void close() {
            api.close();
        }
    }

    @Test
    void showsKeyOnceAndListsItWithoutSecret() {
        var created =
                ash.api()
                        .post(
                                KEYS,
                                Map.of(
                                        "label",
                                        "ci",
                                        "scopes",
                                        List.of("run"),
                                        "expiresAt",
                                        "2099-01-01T01:00:00+01:00"))
                        .expect(201)
                        .json();
        try (var key = Key.of(created)) {
            key.api().get("/api/agents").expect(200);
            var listed = ash.api().get(KEYS).expect(200);
            var row =
                    listed.at("/keys")
                            .valueStream()
                            .filter(each -> each.path("id").asString().equals(key.id()))
                            .findFirst()
                            .orElseThrow();

            assertThat(listed.text()).doesNotContain(key.api().key());
            assertThat(row.path("label").asString()).isEqualTo("ci");
            assertThat(key.api().key()).startsWith(row.path("keyPrefix").asString());
            assertThat(row.path("scopes").toString()).isEqualTo("[\"read\",\"run\"]");
            assertThat(row.path("expiresAt").asString()).isEqualTo("2099-01-01T00:00:00.000Z");
            assertThat(row.path("lastUsedAt").asString("")).endsWith("Z");
            assertThat(created.path("scopes")).isEqualTo(row.path("scopes"));
        }
    }

    @Test
    void rejectsInvalidKeyRequests() {
        assertRejected(
                Map.of("scopes", List.of()), "scopes: must be a list of at least one of read");
        assertRejected(Map.of("scopes", List.of("read", "root")), "scopes: must be");
        assertRejected(
                Map.of("expiresAt", "2020-01-01T00:00:00Z"), "expiresAt: must be a time in the");
        assertRejected(Map.of("expiresAt", "tomorrow"), "expiresAt: must be a time in the future");
        assertRejected(Map.of("expiresAt", "+99999-01-01T00:00:00Z"), "expiresAt: must be");
        assertRejected(Map.of("label", "x".repeat(101)), "label: must have at most 100 characters");
        assertRejected(Map.of("label", "a\u001b[2Jb"), "label: must have");
    }

    private static void assertRejected(Map<String, ?> request, String reason) {
        ash.api().post(KEYS, request).refused(400, "VALIDATION_FAILED", reason);
    }

    @Test
    void revocationEndsOpenStreamAndLongPoll() throws Exception {
        try (var key = Key.create(Map.of("scopes", List.of("read")));
                var stream = key.api().follow(session.path() + "/stream")) {
            stream.next("session_start");
            var poll =
                    CompletableFuture.supplyAsync(
                            () ->
                                    key.api()
                                            .get(
                                                    session.path()
                                                            + "/events?wait=50000&after=1000000"));

            key.revoke();

            assertThat(stream.readToEnd().getLast())
                    .satisfies(
                            last -> {
                                assertThat(last.event()).isEqualTo("error");
                                assertThat(last.json().path("code").asString())
                                        .isEqualTo("UNAUTHORIZED");
                                assertThat(last.json().path("error").asString())
                                        .isEqualTo("This API key was revoked");
                            });
            poll.get(20, TimeUnit.SECONDS).refused(401, "UNAUTHORIZED");
            key.api().get("/api/agents").refused(401, "UNAUTHORIZED", "Invalid API key");
            ash.api().delete(KEYS + "/" + key.id()).refused(404, "API_KEY_NOT_FOUND");
        }
    }

    @Test
    void turnContinuesAfterItsKeyIsRevoked() {
        var asking = ash.session(Map.of("agent", "demo", "permissionMode", "ask"));
        try (var key = Key.create(Map.of("scopes", List.of("run")));
                var stream =
                        key.api().stream(
                                asking.path() + "/messages",
                                Map.of("content", "demo: run echo hello"))) {
            stream.next("approval_required");
            var approval = asking.awaitApproval();

            key.revoke();

            assertThat(Frame.names(stream.readToEnd())).endsWith("error").doesNotContain("done");
            asking.approve(approval);
            try (var rest = asking.follow(0)) {
                assertThat(Frame.names(rest.rest())).contains("approval_resolved");
            }
        }
    }

    @Test
    void expiryEndsOpenStream() {
        var later = Instant.now().plus(Duration.ofHours(1)).toString();
        try (var key = Key.create(Map.of("expiresAt", later));
                var stream = key.api().follow(session.path() + "/stream")) {
            stream.next("session_start");

            // Do not wait for the clock: a short-lived key may expire before the stream opens.
            new Store(ash.data())
                    .update("UPDATE api_keys SET expires_at = 1 WHERE id = ?", key.id());

            assertThat(stream.readToEnd().getLast().json().path("error").asString())
                    .isEqualTo("This API key has expired or was revoked");
            await().atMost(Duration.ofSeconds(20))
                    .until(() -> key.api().get("/api/agents").status() == 401);
        }
    }

    @Test
    void revocationByAnotherProcessEndsStream() {
        try (var key = Key.create(Map.of());
                var stream = key.api().follow(session.path() + "/stream")) {
            stream.next("session_start");

            new Store(ash.data()).update("DELETE FROM api_keys WHERE id = ?", key.id());

            assertThat(stream.readToEnd().getLast().event()).isEqualTo("error");
            await().atMost(Duration.ofSeconds(20))
                    .until(() -> key.api().get("/api/agents").status() == 401);
        }
    }

    @Test
    void lastAdminKeyOfTenantCannotBeRevoked() throws Exception {
        var created = ash.api().post("/api/tenants", Map.of("tenantId", "acme")).expect(201).json();
        try (var first = Key.of(created.path("apiKey"))) {
            var reader = first.api().post(KEYS, Map.of("scopes", List.of("read"))).expect(201);
            first.api()
                    .delete(KEYS + "/" + first.id())
                    .refused(400, "VALIDATION_FAILED", "last valid key", "\"acme\"");

            var second = first.api().post(KEYS, Map.of("scopes", List.of("admin"))).expect(201);
            try (var other = Key.of(second.json())) {
                // Both revoke each other concurrently: exactly one remains.
                var statuses =
                        ConcurrentTasks.runAll(
                                2,
                                i ->
                                        (i == 0 ? first : other)
                                                .api()
                                                .delete(KEYS + "/" + (i == 0 ? other : first).id())
                                                .status());
                assertThat(statuses).containsOnlyOnce(204);
                var remaining = statuses.get(0) == 204 ? first : other;
                var rows = remaining.api().get(KEYS).expect(200).at("/keys");
                assertThat(rows.valueStream().map(row -> row.path("id").asString()))
                        .containsExactlyInAnyOrder(remaining.id(), reader.at("/id").asString());
            }
        }
    }

    @Test
    void onlyOperatorManagesTenantsAndTenantsCannotRevokeForeignKeys() {
        var created = ash.api().post("/api/tenants", Map.of("tenantId", "other")).expect(201);
        ash.api()
                .post("/api/tenants", Map.of("tenantId", "other"))
                .refused(409, "TENANT_EXISTS", "\"other\"");
        ash.api().post("/api/tenants", Map.of("tenantId", "a b")).expect(400);
        var internal =
                ash.api()
                        .post(
                                "/api/internal/api-keys",
                                Map.of("tenantId", "other", "scopes", List.of("read")))
                        .expect(201);
        assertThat(internal.at("/tenantId").asString()).isEqualTo("other");
        try (var theirs = Key.of(created.at("/apiKey"));
                var ours = Key.create(Map.of())) {
            for (var path : List.of("/api/tenants", "/api/internal/api-keys")) {
                theirs.api()
                        .post(path, Map.of("tenantId", "default"))
                        .refused(403, "FORBIDDEN", "\"default\"", "\"other\"");
            }
            theirs.api().get("/api/tenants").refused(403, "FORBIDDEN");
            theirs.api().delete(KEYS + "/" + ours.id()).refused(404, "API_KEY_NOT_FOUND");
            ours.api().delete(KEYS + "/" + theirs.id()).refused(404, "API_KEY_NOT_FOUND");
            theirs.api().delete(KEYS + "/env").refused(404, "API_KEY_NOT_FOUND");
            assertThat(theirs.api().get(KEYS).expect(200).text())
                    .contains(theirs.id())
                    .doesNotContain(ours.id());
            var tenants =
                    ash.api()
                            .get("/api/tenants")
                            .expect(200)
                            .at("/tenants")
                            .valueStream()
                            .collect(
                                    Collectors.toMap(
                                            each -> each.path("id").asString(),
                                            each -> each.path("apiKeys").asInt()));
            assertThat(tenants).containsEntry("other", 2).containsKey("default");
        }
    }

    @Test
    void environmentKeyIsListedAndCannotBeRevoked() {
        var secret = "an-operator-key-of-some-length";
        try (var other = AshServer.start(Map.of("ASH_API_KEY", secret))) {
            var listed = other.api().get(KEYS).expect(200);

            assertThat(listed.at("/keys/0/id").asString()).isEqualTo("env");
            assertThat(listed.at("/keys/0/scopes").size()).isEqualTo(4);
            assertThat(listed.text()).doesNotContain(secret);
            other.api()
                    .delete(KEYS + "/env")
                    .refused(400, "VALIDATION_FAILED", "ASH_API_KEY", "restart");
            // The last other admin key can be revoked because this one remains.
            var created = other.api().post(KEYS, Map.of()).expect(201).at("/id").asString();
            other.api().delete(KEYS + "/" + created).expect(204);
        }
    }
}

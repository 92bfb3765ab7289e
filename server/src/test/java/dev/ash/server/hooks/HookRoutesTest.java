package dev.ash.server.hooks;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ash.protocol.SessionId;
import dev.ash.protocol.TenantId;
import dev.ash.protocol.json.JsonObject;
import dev.ash.server.event.EventType;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class HookRoutesTest {
    private static final String ID = "f2b8a881-b390-4952-babb-e1e9f340c9da";

    @TempDir Path directory;
    private HookFixture fixture;

    @BeforeEach
    void open() {
        fixture = new HookFixture(directory, Duration.ofMillis(200));
    }

    @AfterEach
    void close() {
        fixture.close();
    }

    static String event(String name, String more) {
        return "{\"session_id\":\"%s\",\"cwd\":\"/home/me/project\",\"hook_event_name\":\"%s\"%s}"
                .formatted(ID, name, more);
    }

    private static List<String> samples() throws IOException {
        try (var in = HookRoutesTest.class.getResourceAsStream("claude-code.jsonl")) {
            return new String(in.readAllBytes(), StandardCharsets.UTF_8).lines().toList();
        }
    }

    @Test
    void acceptsAllEventsOfClaudeCode() throws Exception {
        assertThat(samples()).hasSizeGreaterThanOrEqualTo(21);
        for (var body : samples()) {
            var answer = fixture.hook(body);

            assertThat(answer).as(body).isEqualTo(new HookFixture.Answer(200, "{}"));
            var session = new SessionId(JsonObject.parse(body).requireString("session_id"));
            try (var subscription = fixture.events.subscribe(session, 0)) {
                assertThat(subscription.nextBatch(Duration.ZERO))
                        .filteredOn(event -> event.type() == EventType.HOOK)
                        .last()
                        .satisfies(event -> assertThat(event.data()).hasToString(body));
            }
        }
    }

    @Test
    void acceptsPayloadFormatAndReturnsReceipt() throws Exception {
        var answer =
                fixture.hook(
                        "{\"event_type\":\"SessionStart\",\"session_id\":\"sess-abc123\",\"timestamp\":\"2020-01-01T00:00:00Z\","
                                + "\"payload\":{\"working_directory\":\"/home/me/app\"}}");
        fixture.hook("{\"event\":\"Stop\",\"session_id\":\"sess-abc123\",\"payload\":{}}");

        assertThat(answer.status()).isEqualTo(200);
        assertThat(answer.body()).startsWith("{\"received\":true,\"event_id\":\"").contains("/1\"");
        var sessions = fixture.hooks.list(TenantId.DEFAULT, 10);
        assertThat(sessions).hasSize(1);
        assertThat(sessions.getFirst().directory()).isEqualTo("/home/me/app");
        assertThat(sessions.getFirst().title()).isEqualTo("app");
    }

    @Test
    void listsTerminalSessionsAndEvents() throws Exception {
        fixture.hook(event("SessionStart", ",\"source\":\"startup\""));
        fixture.hook(event("UserPromptSubmit", ",\"prompt\":\"  Mend the\\u0007 build\\nplease\""));
        fixture.hook(event("UserPromptSubmit", ",\"prompt\":\"And the tests\""));
        fixture.hook(event("SessionEnd", ",\"reason\":\"other\""));

        assertThat(fixture.get("/api/hooks/sessions").body())
                .contains(
                        "\"id\":\"" + ID + "\"",
                        "\"directory\":\"/home/me/project\"",
                        "\"title\":\"Mend the  build\"",
                        "\"status\":\"ended\"");
        var rows = fixture.get("/api/hooks/sessions/" + ID + "/events?after=1").body();
        assertThat(rows).contains("\"sequence\":2", "\"type\":\"hook\"", "And the tests");
        assertThat(rows).doesNotContain("\"sequence\":1,");
        assertThat(fixture.changes)
                .extracting(session -> session.title() + " " + session.isActive())
                .containsExactly("project true", "Mend the  build true", "Mend the  build false");
        fixture.hook(event("SessionStart", ",\"source\":\"resume\""));
        assertThat(fixture.hooks.find(TenantId.DEFAULT, new SessionId(ID)))
                .hasValueSatisfying(session -> assertThat(session.isActive()).isTrue());
    }

    @Test
    void rejectsUnknownSessions() throws Exception {
        var unknown = fixture.get("/api/hooks/sessions/" + UUID.randomUUID() + "/events");

        assertThat(unknown.status()).isEqualTo(404);
        assertThat(unknown.body()).contains("SESSION_NOT_FOUND");
        assertThat(fixture.get("/api/hooks/sessions/x/events").status()).isEqualTo(404);
        assertThat(fixture.get("/api/hooks/sessions/" + "x".repeat(300) + "/events").status())
                .isEqualTo(404);
    }

    @Test
    void findsSessionByNameAndId() throws Exception {
        fixture.hook("{\"event\":\"Stop\",\"session_id\":\"sess-abc123\",\"payload\":{}}");

        var rows = fixture.get("/api/hooks/sessions/sess-abc123/events");

        assertThat(rows.status()).isEqualTo(200);
        assertThat(rows.body()).contains("sess-abc123");
        var known = fixture.hooks.list(TenantId.DEFAULT, 10).getFirst();
        assertThat(fixture.hooks.findByName(TenantId.DEFAULT, "sess-abc123")).contains(known);
        assertThat(fixture.hooks.findByName(TenantId.DEFAULT, known.id().value())).contains(known);
        assertThat(fixture.hooks.findByName(new TenantId("t"), "sess-abc123")).isEmpty();
        assertThat(fixture.hooks.findByName(TenantId.DEFAULT, "")).isEmpty();
    }

    @Test
    void rejectsInvalidTokens() throws Exception {
        var body = event("Stop", "");

        for (var wrong : List.of("Bearer wrong", "Bearer ", "Basic " + HookFixture.TOKEN, "")) {
            var answer = fixture.call("/hooks/event", body, Map.of("Authorization", wrong));
            assertThat(answer.status()).isEqualTo(401);
            assertThat(answer.body()).contains("UNAUTHORIZED", "ash hooks install");
        }
        for (int i = 4; i < HookToken.FAILURES_PER_MINUTE; i++) {
            fixture.call("/hooks/event", body, Map.of());
        }
        assertThat(fixture.call("/hooks/event", body, Map.of()).status()).isEqualTo(429);
        assertThat(fixture.hook(body).status()).as("valid token").isEqualTo(200);
        assertThat(fixture.hooks.list(TenantId.DEFAULT, 10)).hasSize(1);
    }

    @Test
    void acceptsMoreThanSixtyEventsPerMinute() throws Exception {
        for (int i = 0; i < 300; i++) {
            assertThat(fixture.hook(event("PostToolUse", "")).status()).isEqualTo(200);
        }
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            textBlock =
                    """
                    [] | INVALID_JSON
                    {"a" | INVALID_JSON
                    {} | session_id: must be a string of 1 to 256 characters
                    {"session_id":"","hook_event_name":"Stop"} | session_id
                    {"session_id":7,"hook_event_name":"Stop"} | session_id
                    {"session_id":"s","hook_event_name":"no name"} | hook_event_name: must be the name of the event
                    {"session_id":"s","event":"Stop"} | payload: must be an object
                    {"session_id":"s","event":"Stop","payload":[]} | payload: must be an object
                    """)
    void rejectsInvalidBodies(String body, String message) throws Exception {
        var answer = fixture.hook(body);

        assertThat(answer.status()).isEqualTo(400);
        assertThat(answer.body()).contains(message);
        assertThat(fixture.hooks.list(TenantId.DEFAULT, 10)).isEmpty();
    }

    @Test
    void limitsSizeOfBody() throws Exception {
        var large = event("PostToolUse", ",\"tool_response\":\"" + "x".repeat(3_900_000) + "\"");
        var tooLarge = event("PostToolUse", ",\"x\":\"" + "x".repeat(4_300_000) + "\"");

        assertThat(fixture.hook(large).status()).isEqualTo(200);
        assertThat(fixture.hook(tooLarge).status()).isEqualTo(413);
    }

    @Test
    void acceptsUnpairedSurrogates() throws Exception {
        var body = event("PostToolUse", ",\"tool_response\":\"cut \\ud83d\"");

        assertThat(fixture.hook(body).status()).isEqualTo(200);
        assertThat(fixture.get("/api/hooks/sessions/" + ID + "/events").body()).contains("ud83d");
    }

    @Test
    void rejectsEventsForManagedSession() throws Exception {
        addSession("default");

        var answer = fixture.hook(event("Stop", ""));

        assertThat(answer.status()).isEqualTo(403);
        assertThat(answer.body()).contains("a session managed by Ash");
    }

    @Test
    void separatesSessionsOfOtherTenants() throws Exception {
        addSession("t");

        var answer = fixture.hook(event("Stop", ""));
        var again = fixture.hook(event("Stop", ""));

        assertThat(answer.status()).isEqualTo(200);
        assertThat(again).isEqualTo(answer);
        var known = fixture.hooks.list(TenantId.DEFAULT, 10);
        assertThat(known).hasSize(1);
        assertThat(known.getFirst().id()).isNotEqualTo(new SessionId(ID));
        assertThat(fixture.hooks.findByName(TenantId.DEFAULT, ID)).contains(known.getFirst());
    }

    private void addSession(String tenant) {
        fixture.database
                .writer()
                .write(
                        transaction ->
                                transaction
                                        .handle()
                                        .execute(
                                                "INSERT INTO sessions (id, tenant_id, agent_id,"
                                                        + " agent_name, agent_version, sandbox_id,"
                                                        + " status, engine, permission_mode, settings,"
                                                        + " created_at, last_active_at) VALUES (?, ?,"
                                                        + " 'a', 'a', 1, 's', 'active', 'demo', 'ask',"
                                                        + " x'00', 1, 1)",
                                                ID,
                                                tenant));
    }
}

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

    @TempDir Path folder;
    private HookWorld world;

    @BeforeEach
    void open() {
        world = new HookWorld(folder, Duration.ofMillis(200));
    }

    @AfterEach
    void close() {
        world.close();
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
    void takesEveryBodyThatClaudeCodeSends() throws Exception {
        assertThat(samples()).hasSizeGreaterThanOrEqualTo(21);
        for (var body : samples()) {
            var answer = world.hook(body);

            assertThat(answer).as(body).isEqualTo(new HookWorld.Answer(200, "{}"));
            var session = new SessionId(JsonObject.parse(body).requireString("session_id"));
            try (var subscription = world.events.subscribe(session, 0)) {
                assertThat(subscription.nextBatch(Duration.ZERO))
                        .filteredOn(event -> event.type() == EventType.HOOK)
                        .last()
                        .satisfies(event -> assertThat(event.data()).hasToString(body));
            }
        }
    }

    @Test
    void takesTheOtherFormAndSaysWhatBecameOfIt() throws Exception {
        var answer =
                world.hook(
                        "{\"event_type\":\"SessionStart\",\"session_id\":\"sess-abc123\",\"timestamp\":\"2020-01-01T00:00:00Z\","
                                + "\"payload\":{\"working_directory\":\"/home/me/app\"}}");
        world.hook("{\"event\":\"Stop\",\"session_id\":\"sess-abc123\",\"payload\":{}}");

        assertThat(answer.status()).isEqualTo(200);
        assertThat(answer.body()).startsWith("{\"received\":true,\"event_id\":\"").contains("/1\"");
        var sessions = world.hooks.list(TenantId.DEFAULT, 10);
        assertThat(sessions).hasSize(1);
        assertThat(sessions.getFirst().directory()).isEqualTo("/home/me/app");
        assertThat(sessions.getFirst().title()).isEqualTo("app");
    }

    @Test
    void showsTerminalsAsSessions() throws Exception {
        world.hook(event("SessionStart", ",\"source\":\"startup\""));
        world.hook(event("UserPromptSubmit", ",\"prompt\":\"  Mend the\\u0007 build\\nplease\""));
        world.hook(event("UserPromptSubmit", ",\"prompt\":\"And the tests\""));
        world.hook(event("SessionEnd", ",\"reason\":\"other\""));

        assertThat(world.get("/api/hooks/sessions").body())
                .contains(
                        "\"id\":\"" + ID + "\"",
                        "\"directory\":\"/home/me/project\"",
                        "\"title\":\"Mend the  build\"",
                        "\"status\":\"ended\"");
        var rows = world.get("/api/hooks/sessions/" + ID + "/events?after=1").body();
        assertThat(rows).contains("\"sequence\":2", "\"type\":\"hook\"", "And the tests");
        assertThat(rows).doesNotContain("\"sequence\":1,");
        assertThat(world.told)
                .extracting(session -> session.title() + " " + session.isActive())
                .containsExactly("project true", "Mend the  build true", "Mend the  build false");
        world.hook(event("SessionStart", ",\"source\":\"resume\""));
        assertThat(world.hooks.find(TenantId.DEFAULT, new SessionId(ID)))
                .hasValueSatisfying(session -> assertThat(session.isActive()).isTrue());
    }

    @Test
    void findsOnlyWhatHooksHaveTold() throws Exception {
        var unknown = world.get("/api/hooks/sessions/" + UUID.randomUUID() + "/events");

        assertThat(unknown.status()).isEqualTo(404);
        assertThat(unknown.body()).contains("SESSION_NOT_FOUND");
        assertThat(world.get("/api/hooks/sessions/x/events").status()).isEqualTo(404);
        assertThat(world.get("/api/hooks/sessions/" + "x".repeat(300) + "/events").status())
                .isEqualTo(404);
    }

    @Test
    void theTerminalsOwnNameIsAnAliasOfItsId() throws Exception {
        world.hook("{\"event\":\"Stop\",\"session_id\":\"sess-abc123\",\"payload\":{}}");

        var rows = world.get("/api/hooks/sessions/sess-abc123/events");

        assertThat(rows.status()).isEqualTo(200);
        assertThat(rows.body()).contains("sess-abc123");
        var known = world.hooks.list(TenantId.DEFAULT, 10).getFirst();
        assertThat(world.hooks.named(TenantId.DEFAULT, "sess-abc123")).contains(known);
        assertThat(world.hooks.named(TenantId.DEFAULT, known.id().value())).contains(known);
        assertThat(world.hooks.named(new TenantId("t"), "sess-abc123")).isEmpty();
        assertThat(world.hooks.named(TenantId.DEFAULT, "")).isEmpty();
    }

    @Test
    void refusesWhoeverHasNotTheToken() throws Exception {
        var body = event("Stop", "");

        for (var wrong : List.of("Bearer wrong", "Bearer ", "Basic " + HookWorld.TOKEN, "")) {
            var answer = world.call("/hooks/event", body, Map.of("Authorization", wrong));
            assertThat(answer.status()).isEqualTo(401);
            assertThat(answer.body()).contains("UNAUTHORIZED", "ash hooks install");
        }
        for (int i = 4; i < HookToken.WRONG_PER_MINUTE; i++) {
            world.call("/hooks/event", body, Map.of());
        }
        assertThat(world.call("/hooks/event", body, Map.of()).status()).isEqualTo(429);
        assertThat(world.hook(body).status()).as("the right one").isEqualTo(200);
        assertThat(world.hooks.list(TenantId.DEFAULT, 10)).hasSize(1);
    }

    @Test
    void takesFarMoreThanSixtyEventsInAMinute() throws Exception {
        for (int i = 0; i < 300; i++) {
            assertThat(world.hook(event("PostToolUse", "")).status()).isEqualTo(200);
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
                    {} | session_id: must be a text of 1 to 256 characters
                    {"session_id":"","hook_event_name":"Stop"} | session_id
                    {"session_id":7,"hook_event_name":"Stop"} | session_id
                    {"session_id":"s","hook_event_name":"no name"} | hook_event_name: must name the event
                    {"session_id":"s","event":"Stop"} | payload: must be an object
                    {"session_id":"s","event":"Stop","payload":[]} | payload: must be an object
                    """)
    void saysWhatIsWrongWithABody(String body, String why) throws Exception {
        var answer = world.hook(body);

        assertThat(answer.status()).isEqualTo(400);
        assertThat(answer.body()).contains(why);
        assertThat(world.hooks.list(TenantId.DEFAULT, 10)).isEmpty();
    }

    @Test
    void takesWholeFilesButNotWithoutEnd() throws Exception {
        var large = event("PostToolUse", ",\"tool_response\":\"" + "x".repeat(3_900_000) + "\"");
        var tooLarge = event("PostToolUse", ",\"x\":\"" + "x".repeat(4_300_000) + "\"");

        assertThat(world.hook(large).status()).isEqualTo(200);
        assertThat(world.hook(tooLarge).status()).isEqualTo(413);
    }

    @Test
    void keepsHalfASurrogatePairThatAToolCutOff() throws Exception {
        var body = event("PostToolUse", ",\"tool_response\":\"cut \\ud83d\"");

        assertThat(world.hook(body).status()).isEqualTo(200);
        assertThat(world.get("/api/hooks/sessions/" + ID + "/events").body()).contains("ud83d");
    }

    @Test
    void speaksForNoSessionOfAshsOwn() throws Exception {
        addSession("default");

        var answer = world.hook(event("Stop", ""));

        assertThat(answer.status()).isEqualTo(403);
        assertThat(answer.body()).contains("a session of Ash's own");
    }

    @Test
    void aSessionOfAnotherTenantIsNeitherRevealedNorSpokenFor() throws Exception {
        addSession("t");

        var answer = world.hook(event("Stop", ""));
        var again = world.hook(event("Stop", ""));

        assertThat(answer.status()).isEqualTo(200);
        assertThat(again).isEqualTo(answer);
        var known = world.hooks.list(TenantId.DEFAULT, 10);
        assertThat(known).hasSize(1);
        assertThat(known.getFirst().id()).isNotEqualTo(new SessionId(ID));
        assertThat(world.hooks.named(TenantId.DEFAULT, ID)).contains(known.getFirst());
    }

    private void addSession(String tenant) {
        world.database
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

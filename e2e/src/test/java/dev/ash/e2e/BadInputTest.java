package dev.ash.e2e;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Checks status, error code and message of every rejected input; the message names the field and
 * the rule.
 */
class BadInputTest {
    @RegisterExtension
    static final AshExtension ash =
            AshExtension.demo()
                    .with(
                            "ASH_AGENT_ROOTS",
                            directory -> directory.path().resolve("agents").toString())
                    .agent("hello");

    private static TestSession session;

    @BeforeAll
    static void start() {

        session = ash.session("hello");
    }

    @Test
    void unknownAgentIsNotFound() {
        var api = ash.api();
        api.post("/api/sessions", Map.of("agent", "nobody"))
                .refused(404, "AGENT_NOT_FOUND", "nobody");
        api.get("/api/agents/nobody").refused(404, "AGENT_NOT_FOUND");
        api.delete("/api/agents/nobody").refused(404, "AGENT_NOT_FOUND");
        api.patch("/api/agents/nobody", Map.of("env", Map.of())).refused(404, "AGENT_NOT_FOUND");
        api.get("/api/agents/nobody/files").refused(404, "AGENT_NOT_FOUND");
    }

    @Test
    void rejectsDirectoryWithoutClaudeMd() {
        var directory = ash.directory().write("agents/no-prompt", Map.of("README.md", "hi"));

        ash.api()
                .post("/api/agents", Map.of("name", "x", "path", directory.toString()))
                .refused(400, "VALIDATION_FAILED", "CLAUDE.md");
        ash.api()
                .post("/api/agents", upload("README.md"))
                .refused(400, "VALIDATION_FAILED", "CLAUDE.md");
        ash.api()
                .post("/api/agents", Map.of("name", "x", "path", directory + "/nowhere"))
                .refused(400, "VALIDATION_FAILED", "/nowhere");
        ash.api().get("/api/agents/x").expect(404);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "a/b", "..", "a b", "é", "a\nb"})
    void rejectsInvalidAgentName(String name) {
        ash.api()
                .post("/api/agents", Map.of("name", name, "systemPrompt", "x"))
                .refused(400, "VALIDATION_FAILED", "name", "letters");
    }

    @Test
    void rejectsMissingLongAndNonStringNames() {
        var api = ash.api();
        api.post("/api/agents", Map.of("systemPrompt", "x"))
                .refused(400, "VALIDATION_FAILED", "name");
        api.post("/api/agents", Map.of("name", "a".repeat(256), "systemPrompt", "x"))
                .refused(400, "VALIDATION_FAILED", "name", "255");
        api.post("/api/agents", Map.of("name", 7, "systemPrompt", "x"))
                .refused(400, "VALIDATION_FAILED", "name", "string");
        api.post("/api/sessions", Map.of()).refused(400, "VALIDATION_FAILED", "agent");
    }

    @ParameterizedTest
    @ValueSource(strings = {"../evil", "/etc/evil", "a/../../evil", "", "a\0b", "."})
    void rejectsAgentFilesOutsideAgent(String path) {
        var files =
                List.of(
                        Map.of("path", "CLAUDE.md", "content", AshServer.base64("x")),
                        Map.of("path", path, "content", AshServer.base64("evil")));

        ash.api()
                .post("/api/agents", Map.of("name", "evil", "files", files))
                .refused(400, "VALIDATION_FAILED");
        ash.api().get("/api/agents/evil").expect(404);
    }

    @Test
    void rejectsContentThatIsNotBase64() {
        var files = List.of(Map.of("path", "CLAUDE.md", "content", "not base64!"));

        ash.api()
                .post("/api/agents", Map.of("name", "x", "files", files))
                .refused(400, "VALIDATION_FAILED", "base64");
    }

    @ParameterizedTest
    @ValueSource(strings = {"nonsense", "550E8400-E29B-41D4-A716-446655440000", "7", "%2e%2e"})
    void rejectsIdsThatAreNotUuids(String id) {
        ash.api().get("/api/sessions/" + id).refused(400, "VALIDATION_FAILED", "UUID");
        ash.api().delete("/api/sessions/" + id).refused(400, "VALIDATION_FAILED", "UUID");
    }

    @Test
    void everyOperationOnUnknownSessionIsNotFound() {
        var id = UUID.randomUUID();
        var path = "/api/sessions/" + id;
        var api = ash.api();
        assertThat(api.get(path).refused(404, "SESSION_NOT_FOUND").at("/error").asString())
                .isEqualTo("Session not found: " + id);
        api.delete(path).refused(404, "SESSION_NOT_FOUND");
        for (var action : List.of("pause", "stop", "resume", "interrupt")) {
            api.postNothing(path + "/" + action).refused(404, "SESSION_NOT_FOUND");
        }
        api.post(path + "/messages", Map.of("content", "x")).refused(404, "SESSION_NOT_FOUND");
        api.post(path + "/exec", Map.of("command", "true")).refused(404, "SESSION_NOT_FOUND");
        for (var list : List.of("messages", "events", "logs", "files", "workspace")) {
            api.get(path + "/" + list).refused(404, "SESSION_NOT_FOUND");
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"{", "{\"agent\":}", "agent=hello", "{\"agent\":\"hello\"} x"})
    void rejectsBodyThatIsNotJson(String body) {
        ash.api()
                .exchange("POST", "/api/sessions", body, request -> {})
                .refused(400, "INVALID_JSON");
    }

    @Test
    void rejectsBodyOfWrongTypeOrEncoding() {
        ash.api()
                .exchangeBytes(
                        "POST", "/api/sessions", "{\"agent\":\"f\u00fcr\"}".getBytes(ISO_8859_1))
                .refused(400, "INVALID_JSON");
        ash.api().exchange("POST", "/api/sessions", "[]", request -> {}).expect(400);
        ash.api().exchange("POST", "/api/sessions", "\"hello\"", request -> {}).expect(400);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "{}                                               | content",
                "{'content':null}                                 | content",
                "{'content':123}                                  | content",
                "{'content':true}                                 | content",
                "{'content':{}}                                   | content",
                "{'content':''}                                   | content",
                "{'content':[]}                                   | content",
                "{'content':['x']}                                | content",
                "{'content':[{'type':'video'}]}                   | type",
                "{'content':[{'type':'text'}]}                    | text",
                "{'content':'x','includePartialMessages':'yes'}   | includePartialMessages",
                "{'content':'x','maxTurns':0}                     | maxTurns",
                "{'content':'x','maxTurns':1.5}                   | maxTurns",
                "{'content':'x','maxTurns':'many'}                | maxTurns",
                "{'content':'x','maxBudgetUsd':-1}                | maxBudgetUsd",
                "{'content':'x','effort':'heroic'}                | effort",
                "{'content':'x','model':7}                        | model"
            })
    void rejectsInvalidMessageAndNamesField(String body, String field) {
        ash.api()
                .post(session.path() + "/messages", body.replace('\'', '"'))
                .refused(400, "VALIDATION_FAILED", field);
        assertThat(session.status()).isEqualTo("active");
    }

    @Test
    void rejectsTooLargeInputAndNamesLimit() {
        var api = ash.api();
        api.post(session.path() + "/messages", Map.of("content", "x".repeat(500_001)))
                .refused(400, "VALIDATION_FAILED", "content", "500,000");
        var blocks = Collections.nCopies(21, Map.of("type", "text", "text", "x"));
        api.post(session.path() + "/messages", Map.of("content", blocks))
                .refused(400, "VALIDATION_FAILED", "content", "20");
        api.post(session.path() + "/messages", Map.of("content", "x".repeat(11 * 1024 * 1024)))
                .refused(413, "PAYLOAD_TOO_LARGE", "10");
        api.post("/api/sessions", Map.of("agent", "x".repeat(2 * 1024 * 1024)))
                .refused(413, "PAYLOAD_TOO_LARGE");
    }

    @ParameterizedTest
    @CsvSource({
        "messages?limit=0, limit",
        "messages?limit=1001, limit",
        "messages?limit=ten, limit",
        "messages?after=-1, after",
        "events?limit=0, limit",
        "events?after=x, after"
    })
    void rejectsInvalidQueryAndNamesParameter(String query, String parameter) {
        ash.api().get(session.path() + "/" + query).refused(400, "VALIDATION_FAILED", parameter);
    }

    @Test
    void rejectsInvalidSessionFilters() {
        ash.api().get("/api/sessions?status=asleep").refused(400, "VALIDATION_FAILED", "status");
        for (var prefix : List.of("", "%25", "1A", "1a2b%00", "a".repeat(37))) {
            ash.api()
                    .get("/api/sessions?idPrefix=" + prefix)
                    .refused(400, "VALIDATION_FAILED", "idPrefix");
        }
        ash.api().get("/api/sessions?limit=-1").refused(400, "VALIDATION_FAILED", "limit");
        ash.api().get("/api/sessions?offset=-1").refused(400, "VALIDATION_FAILED", "offset");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "ASH_SESSION_ID",
                "PATH",
                "HOME",
                "LD_PRELOAD",
                "NODE_OPTIONS",
                "JAVA_TOOL_OPTIONS",
                "A=B",
                ""
            })
    void rejectsReservedEnvironmentVariables(String name) {
        ash.api()
                .post("/api/sessions", Map.of("agent", "hello", "extraEnv", Map.of(name, "x")))
                .refused(400, "VALIDATION_FAILED", "extraEnv");
    }

    @Test
    void rejectsInvalidSessionSettings() {
        var api = ash.api();
        api.post("/api/sessions", Map.of("agent", "hello", "permissionMode", "yolo"))
                .refused(400, "VALIDATION_FAILED", "permissionMode", "bypassPermissions");
        api.post("/api/sessions", Map.of("agent", "hello", "engine", "abacus"))
                .refused(400, "VALIDATION_FAILED", "engine", "demo");
        api.post("/api/sessions", Map.of("agent", "hello", "model", "m".repeat(101)))
                .refused(400, "VALIDATION_FAILED", "model", "100");
        api.post("/api/sessions", Map.of("agent", "hello", "extraEnv", Map.of("A", "x\0y")))
                .refused(400, "VALIDATION_FAILED", "extraEnv");
        api.post("/api/sessions", Map.of("agent", "hello", "extraEnv", Map.of("A", 1)))
                .refused(400, "VALIDATION_FAILED", "extraEnv");
    }

    @Test
    void rejectsInvalidCommands() {
        var api = ash.api();
        var path = session.path() + "/exec";
        api.post(path, Map.of()).refused(400, "VALIDATION_FAILED", "command");
        api.post(path, Map.of("command", "")).refused(400, "VALIDATION_FAILED", "command");
        api.post(path, Map.of("command", "true", "timeout", 0))
                .refused(400, "VALIDATION_FAILED", "timeout");
        api.post(path, Map.of("command", "true", "timeout", 300_001))
                .refused(400, "VALIDATION_FAILED", "timeout", "300000");
    }

    @Test
    void acceptsPostWithJsonContentTypeAndNoBody() {
        var paused = ash.session("hello");

        paused.post("pause").expect(200);
        paused.post("resume").expect(200);
        paused.post("interrupt").expect(200);
        paused.post("stop").expect(200);
        paused.end().expect(200);
    }

    @Test
    void rejectsOperationsOnEndedSession() {
        var ended = ash.session("hello");
        ended.end().expect(200);

        var api = ash.api();
        api.post(ended.path() + "/messages", Map.of("content", "x")).refused(410, "SESSION_ENDED");
        api.post(ended.path() + "/exec", Map.of("command", "true")).refused(410, "SESSION_ENDED");
        for (var action : List.of("pause", "stop", "resume", "interrupt")) {
            ended.post(action).refused(410, "SESSION_ENDED");
        }
        api.get(ended.path()).expect(200);
        api.get(ended.path() + "/messages").expect(200);
    }

    @Test
    void rejectsMessagesToInactiveSessionAndNamesRemedy() {
        var paused = ash.session("hello");
        paused.post("pause").expect(200);
        var api = ash.api();

        api.post(paused.path() + "/messages", Map.of("content", "x"))
                .refused(400, "SESSION_NOT_ACTIVE", "paused", "resume");
        api.post(paused.path() + "/exec", Map.of("command", "true"))
                .refused(400, "SESSION_NOT_ACTIVE", "paused", "resume");
        paused.post("pause").refused(400, "SESSION_NOT_ACTIVE", "paused");
        paused.post("resume").expect(200);
        paused.post("stop").expect(200);
        api.post(paused.path() + "/messages", Map.of("content", "x"))
                .refused(400, "SESSION_NOT_ACTIVE", "stopped", "resume");
    }

    @Test
    void rejectsRequestsWithoutValidKey() {
        for (var header : List.of("", "Bearer", "Bearer wrong", "Basic x", "Bearer  x", "wrong")) {
            ash.api()
                    .exchange(
                            "GET",
                            "/api/agents",
                            null,
                            request -> request.setHeader("Authorization", header))
                    .refused(401, "UNAUTHORIZED");
        }
    }

    @Test
    void rejectsUnknownRoutesAndMethods() {
        ash.api().get("/api/nope").refused(404, "ROUTE_NOT_FOUND", "/api/nope");
        ash.api().get("/nope").expect(404);
        ash.api().patch("/api/sessions", Map.of()).refused(405, "METHOD_NOT_ALLOWED");
    }

    private static Map<String, ?> upload(String path) {
        return Map.of(
                "name",
                "x",
                "files",
                List.of(Map.of("path", path, "content", AshServer.base64("text"))));
    }
}

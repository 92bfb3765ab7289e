package dev.ash.e2e;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.DynamicTest.dynamicTest;

import java.net.http.HttpRequest;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * Calls every route with every scope on a real server. The routes come from its OpenAPI document;
 * the required scopes are listed here, so a new route needs a line and a wrong scope fails. Bodies
 * are malformed JSON and ids do not exist: a caller that passes the check receives 400 or 404.
 */
class ScopeMatrixTest {
    private static final String EXPECTED =
            """
            open     GET /health
            open     POST /hooks/event
            open     POST /mcp/pair/{repo}/{run}/{peer}
            open     DELETE /mcp/pair/{repo}/{run}/{peer}
            read     GET /metrics
            read     GET /api/agents
            read     GET /api/agents/{name}
            read     GET /api/agents/{name}/config
            read     GET /api/agents/{name}/files
            read     GET /api/agents/{name}/files/{path}
            read     GET /api/engines
            read     GET /api/sessions
            read     GET /api/sessions/{id}
            read     GET /api/sessions/{id}/messages
            read     GET /api/sessions/{id}/events
            read     GET /api/sessions/{id}/logs
            read     GET /api/sessions/{id}/stream
            read     GET /api/sessions/{id}/files
            read     GET /api/sessions/{id}/files/{path}
            read     GET /api/sessions/{id}/workspace
            read     GET /api/approvals
            read     GET /api/approvals/{id}
            read     GET /api/hooks/sessions
            read     GET /api/hooks/sessions/{id}/events
            read     GET /api/pairs
            read     GET /api/pairs/{id}
            read     GET /api/pairs/{id}/stream
            read     GET /api/pairs/{id}/messages
            read     GET /api/pairs/{id}/report
            approve  POST /api/approvals/{id}
            approve  POST /api/pairs/{id}/answer
            run      POST /api/sessions
            run      DELETE /api/sessions/{id}
            run      POST /api/sessions/{id}/pause
            run      POST /api/sessions/{id}/stop
            run      POST /api/sessions/{id}/resume
            run      POST /api/sessions/{id}/fork
            run      PATCH /api/sessions/{id}/config
            run      POST /api/sessions/{id}/messages
            run      POST /api/sessions/{id}/interrupt
            run      POST /api/sessions/{id}/steer
            run      POST /api/sessions/{id}/exec
            run      POST /api/sessions/{id}/files
            run      DELETE /api/sessions/{id}/files/{path}
            run      POST /api/sessions/{id}/workspace
            run      POST /api/pairs
            run      POST /api/pairs/{id}/messages
            run      POST /api/pairs/{id}/pause
            run      POST /api/pairs/{id}/stop
            run      POST /api/pairs/{id}/clean
            run      POST /api/pairs/{id}/resume
            run      POST /api/mailboxes
            admin    POST /api/agents
            admin    PATCH /api/agents/{name}
            admin    DELETE /api/agents/{name}
            admin    PATCH /api/agents/{name}/config
            admin    POST /api/agents/{name}/files
            admin    DELETE /api/agents/{name}/files/{path}
            admin    GET /api/credentials
            admin    POST /api/credentials
            admin    DELETE /api/credentials/{id}
            admin    GET /api/devices
            admin    POST /api/devices
            admin    DELETE /api/devices/{id}
            admin    GET /api/api-keys
            admin    POST /api/api-keys
            admin    DELETE /api/api-keys/{id}
            operator GET /api/tenants
            operator POST /api/tenants
            operator POST /api/internal/api-keys
            operator GET /api/secrets
            operator POST /api/secrets/rotate
            operator DELETE /api/secrets/previous
            operator GET /api/gateway
            operator PATCH /api/gateway
            """;

    /** Scopes that each scope includes. */
    private static final Map<String, List<String>> INCLUDED_SCOPES =
            Map.of(
                    "read", List.of("read"),
                    "approve", List.of("read", "approve"),
                    "run", List.of("read", "run"),
                    "admin", List.of("read", "approve", "run", "admin", "operator"));

    private static final Map<String, String> expected = new TreeMap<>();
    private static final Map<String, Api> keys = new LinkedHashMap<>();

    @RegisterExtension
    static final AshExtension ash =
            AshExtension.demo().gateway().with("ASH_RATE_LIMIT_PER_MINUTE", "0");

    private static String deviceToken;

    @BeforeAll
    static void createKeys() {
        EXPECTED.lines()
                .map(line -> line.split(" +", 2))
                .forEach(line -> expected.put(line[1], line[0]));
        for (var scope : List.of("read", "approve", "run", "admin")) {
            var created = ash.api().post("/api/api-keys", Map.of("scopes", List.of(scope)));
            keys.put(scope, api(created.expect(201).at("/key").asString()));
        }
        var pairing = ash.api().post("/api/devices", Map.of()).expect(201);
        deviceToken = pairing.at("/pairing/token").asString();
    }

    private static Api api(String key) {
        return new Api(ash.api().base(), key);
    }

    @AfterAll
    static void stop() {
        keys.values().forEach(Api::close);
    }

    @Test
    void everyRouteIsDocumentedWithExpectedScope() {
        var document = ash.api().get("/docs/json").expect(200).json();
        var described = new TreeMap<String, String>();
        for (var route : Routes.of(ash.server()).endpoints()) {
            var parts = route.split(" ", 2);
            var operation = document.path("paths").path(parts[1]).path(parts[0].toLowerCase());
            var text = operation.path("description").asString("");
            var scope = operation.path("x-ash-scope").asString("open");
            assertThat(text).contains(scope.equals("open") ? "" : "`" + scope + "`");
            described.put(route, text.contains("operator's tenant") ? "operator" : scope);
        }

        assertThat(described).isEqualTo(expected);
    }

    @TestFactory
    Stream<DynamicTest> checksScopeBeforeBody() {
        return expected.keySet().stream()
                .map(route -> dynamicTest(route, () -> tryWithEveryScope(route)));
    }

    private static void tryWithEveryScope(String route) {
        var required = expected.get(route);
        keys.forEach(
                (scope, api) -> {
                    var answer = send(api, route, _ -> {});
                    if (required.equals("open") || INCLUDED_SCOPES.get(scope).contains(required)) {
                        assertThat(answer.text())
                                .as("%s with %s", route, scope)
                                .doesNotContain("FORBIDDEN");
                        if (!required.equals("open")) {
                            assertThat(answer.status())
                                    .as(answer.text())
                                    .isIn(200, 400, 404, 410, 422);
                        }
                    } else {
                        var name = required.equals("operator") ? "admin" : required;
                        answer.refused(403, "FORBIDDEN", "\"" + name + "\"", "this key has read");
                    }
                });
        if (!required.equals("open")) {
            for (var other : List.of("x", deviceToken)) {
                var answer =
                        send(
                                ash.api(),
                                route,
                                request -> request.setHeader("Authorization", "Bearer " + other));
                // 429: too many invalid keys
                assertThat(answer.status()).as(answer.text()).isIn(401, 429);
            }
        }
    }

    private static ApiResponse send(Api api, String route, Consumer<HttpRequest.Builder> change) {
        var parts = route.split(" ", 2);
        var path = parts[1].replaceAll("\\{[^}]*}", "unknown");
        var body = parts[0].equals("GET") || parts[0].equals("DELETE") ? null : "{";
        return api.exchange(parts[0], path, body, change);
    }
}

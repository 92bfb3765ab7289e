package dev.ash.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** Checks that {@code AshClient} has a method for every endpoint of the route table. */
class SdkCoverageTest {
    /** Endpoints without a method, each with the reason. */
    private static final Map<String, String> EXCLUDED =
            Map.of(
                    "POST /hooks/event", "called by hooks of Claude Code, with the hook token",
                    "POST /mcp/pair/{repo}/{run}/{peer}",
                            "MCP: called by engines, with a peer token",
                    "DELETE /mcp/pair/{repo}/{run}/{peer}", "MCP: called by engines");

    private static final Pattern VARIABLE = Pattern.compile("\\{[^}]*}");

    /** Names of the query parameters of each endpoint. */
    private static final Map<String, Set<String>> endpoints = new TreeMap<>();

    private static List<SdkCalls.Request> requests;

    @BeforeAll
    static void recordCalls() throws Exception {
        try (var ash = AshExtension.demo().open()) {
            var document = ash.api().get("/docs/json").expect(200).json();
            for (var path : document.path("paths").properties()) {
                for (var operation : path.getValue().properties()) {
                    var query = new TreeSet<String>();
                    for (var parameter : operation.getValue().path("parameters")) {
                        if (parameter.path("in").asString().equals("query")) {
                            query.add(parameter.path("name").asString());
                        }
                    }
                    endpoints.put(
                            operation.getKey().toUpperCase(Locale.ROOT) + " " + path.getKey(),
                            query);
                }
            }
            var agent = ash.directory().write("agent", Map.of("CLAUDE.md", "You are an agent.\n"));
            requests = SdkCalls.record(agent);
        }
    }

    @AfterAll
    static void clearEndpoints() {
        endpoints.clear();
    }

    @Test
    void callsEveryEndpoint() {
        var called = new TreeSet<String>();
        requests.forEach(request -> called.add(endpointOf(request)));

        var expected = new TreeSet<>(endpoints.keySet());
        expected.removeAll(EXCLUDED.keySet());
        assertThat(called).isEqualTo(expected);
        assertThat(endpoints.keySet()).containsAll(EXCLUDED.keySet());
    }

    @Test
    void canSendEveryQueryParameter() {
        endpoints.forEach(
                (endpoint, query) -> {
                    var sent = new HashSet<String>();
                    requests.stream()
                            .filter(request -> endpointOf(request).equals(endpoint))
                            .forEach(request -> sent.addAll(request.query()));
                    assertThat(sent).as(endpoint).containsAll(query);
                });
    }

    /** Returns the most specific matching template: literals take precedence over variables. */
    private static String endpointOf(SdkCalls.Request request) {
        return endpoints.keySet().stream()
                .filter(endpoint -> matches(endpoint, request))
                .min((a, b) -> Integer.compare(variables(a), variables(b)))
                .orElse("no endpoint: " + request);
    }

    private static int variables(String endpoint) {
        return (int) VARIABLE.matcher(endpoint).results().count();
    }

    private static boolean matches(String endpoint, SdkCalls.Request request) {
        var parts = endpoint.split(" ", 2);
        var regex = Pattern.quote(parts[1]).replace("{path}", "\\E.+\\Q");
        regex = VARIABLE.matcher(regex).replaceAll("\\\\E[^/]+\\\\Q");
        return parts[0].equals(request.method()) && request.path().matches(regex);
    }
}

package dev.ash.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Checks that the OpenAPI document and its page match the routes of the server. */
class DocsTest {
    private static final Set<String> ENDPOINTS =
            Set.of(
                    "GET /health",
                    "POST /api/devices",
                    "GET /api/devices",
                    "DELETE /api/devices/{}",
                    "POST /hooks/event",
                    "POST /api/agents",
                    "GET /api/agents",
                    "GET /api/agents/{}",
                    "PATCH /api/agents/{}",
                    "DELETE /api/agents/{}",
                    "GET /api/agents/{}/config",
                    "PATCH /api/agents/{}/config",
                    "GET /api/agents/{}/files",
                    "POST /api/agents/{}/files",
                    "GET /api/agents/{}/files/{}",
                    "DELETE /api/agents/{}/files/{}",
                    "POST /api/sessions",
                    "GET /api/sessions",
                    "GET /api/sessions/{}",
                    "DELETE /api/sessions/{}",
                    "PATCH /api/sessions/{}/config",
                    "POST /api/sessions/{}/pause",
                    "POST /api/sessions/{}/stop",
                    "POST /api/sessions/{}/resume",
                    "POST /api/sessions/{}/interrupt",
                    "POST /api/sessions/{}/messages",
                    "GET /api/sessions/{}/messages",
                    "GET /api/sessions/{}/events",
                    "GET /api/sessions/{}/logs",
                    "POST /api/sessions/{}/exec",
                    "GET /api/sessions/{}/files",
                    "POST /api/sessions/{}/files",
                    "GET /api/sessions/{}/files/{}",
                    "DELETE /api/sessions/{}/files/{}",
                    "GET /api/sessions/{}/workspace",
                    "POST /api/sessions/{}/workspace");

    @RegisterExtension static final AshExtension ash = AshExtension.demo();

    @Test
    void listsEveryEndpointWithSummaryAndResponses() {
        var document = open("/docs/json").expect(200).json();

        var listed = new TreeSet<String>();
        for (var path : document.path("paths").properties()) {
            for (var operation : path.getValue().properties()) {
                var name = operation.getKey().toUpperCase(Locale.ROOT);
                listed.add(name + " " + path.getKey().replaceAll("\\{[^}]*}", "{}"));
                assertThat(operation.getValue().path("summary").asString("")).isNotBlank();
                assertThat(operation.getValue().path("responses").isEmpty()).isFalse();
            }
        }
        assertThat(listed).containsAll(ENDPOINTS);
        assertThat(document.path("openapi").asString()).startsWith("3.");
    }

    @Test
    void servesEveryListedEndpoint() {
        for (var path : open("/docs/json").json().path("paths").properties()) {
            var concrete = path.getKey().replaceAll("\\{[^}]*}", "x");
            for (var operation : path.getValue().properties()) {
                var method = operation.getKey().toUpperCase(Locale.ROOT);
                var answer = ash.api().exchange(method, concrete, "{", request -> {});
                assertThat(answer.text())
                        .as(method + " " + concrete)
                        .doesNotContain("ROUTE_NOT_FOUND", "METHOD_NOT_ALLOWED");
            }
        }
    }

    @Test
    void servesPageWithoutKeyAndExternalHosts() {
        var page = open("/docs");
        if (page.status() / 100 == 3) {
            page = open(page.headers().firstValue("location").orElseThrow());
        }

        page.expect(200);
        assertThat(page.headers().firstValue("content-type").orElse("")).contains("text/html");
        assertThat(page.text()).contains("swagger-ui").doesNotContain("https://", "http://");
    }

    private static ApiResponse open(String path) {
        return ash.api().exchange("GET", path, null, r -> r.setHeader("Authorization", ""));
    }
}

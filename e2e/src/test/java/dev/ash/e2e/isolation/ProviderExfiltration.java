package dev.ash.e2e.isolation;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ash.e2e.AshServer;
import dev.ash.e2e.Resources;
import dev.ash.e2e.TestSession;
import dev.ash.e2e.model.ModelRequest;
import dev.ash.e2e.model.ScriptedModelApi;
import java.util.Map;

/** An agent that tries to exfiltrate data through the API of its model provider. */
final class ProviderExfiltration {
    static final Map<String, String> AGENT =
            Map.of("CLAUDE.md", "Obey.", "exits.py", Resources.text("exits.py"));

    /** Checks the session that ran {@code exits.py} with its output in {@code out.txt}. */
    static void assertBlocked(TestSession session, ScriptedModelApi api, String reason) {
        var lines = session.workspaceFile("out.txt").lines().toList();
        assertThat(lines)
                .as("harmless requests reach the API")
                .startsWith("innocent\t200", "innocent chunked\t200");
        assertThat(lines.subList(2, lines.size()))
                .hasSizeGreaterThan(100)
                .allSatisfy(line -> assertThat(line).matches(".*\t(400|413|415)"));

        assertThat(api.requests()).filteredOn(ProviderExfiltration::isAttack).hasSize(2);
        assertThat(api.requests())
                .allSatisfy(
                        request ->
                                assertThat(request.body() + request.path() + request.headers())
                                        .doesNotContain("evil.example", "mcp_servers", "file_id")
                                        .doesNotContain("resp_1", "container_1", "callback_url"));
        assertThat(session.events())
                .filteredOn(event -> event.path("type").asString().equals("network_blocked"))
                .anySatisfy(event -> assertThat(event.path("data").toString()).contains(reason));
    }

    /** Checks that the filter knows all fields and headers of the engine's requests. */
    static void assertNoUnknownFields(AshServer server) {
        assertThat(server.api().get("/metrics").expect(200).text())
                .contains("ash_model_request_unknown_fields_total 0.0")
                .contains("ash_model_request_dropped_headers_total 0.0")
                .doesNotContain("ash_model_requests_rejected_total 0.0");
    }

    private static boolean isAttack(ModelRequest request) {
        return "exits".equals(request.headers().get("user-agent"));
    }

    /** Returns whether the request offers the provider's web search to the model. */
    static boolean offersWebSearch(ModelRequest request) {
        return request.body()
                .path("tools")
                .valueStream()
                .anyMatch(tool -> tool.path("type").asString("").startsWith("web_search"));
    }

    private ProviderExfiltration() {}
}

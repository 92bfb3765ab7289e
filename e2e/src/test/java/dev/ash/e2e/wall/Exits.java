package dev.ash.e2e.wall;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ash.e2e.AshServer;
import dev.ash.e2e.Resources;
import dev.ash.e2e.TestSession;
import dev.ash.e2e.model.ModelRequest;
import dev.ash.e2e.model.ScriptedModelApi;
import java.util.Map;

/** An agent whose model tries to reach others through its own provider. */
final class Exits {
    static final Map<String, String> AGENT =
            Map.of("CLAUDE.md", "Obey.", "exits.py", Resources.text("exits.py"));

    /** Of the session that ran {@code exits.py} and kept its output in {@code out.txt}. */
    static void assertClosed(TestSession session, ScriptedModelApi api, String reason) {
        var lines = session.workspaceFile("out.txt").lines().toList();
        assertThat(lines)
                .as("the attack reaches the API when it asks for nothing else")
                .startsWith("innocent\t200", "innocent chunked\t200");
        assertThat(lines.subList(2, lines.size()))
                .hasSizeGreaterThan(100)
                .allSatisfy(line -> assertThat(line).matches(".*\t(400|413|415)"));

        assertThat(api.requests()).filteredOn(Exits::isOfTheAttack).hasSize(2);
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

    /** The tables know everything that the engine of this server has sent. */
    static void assertAllKnown(AshServer server) {
        assertThat(server.api().get("/metrics").expect(200).text())
                .contains("ash_model_request_unknown_fields_total 0.0")
                .contains("ash_model_request_dropped_headers_total 0.0")
                .doesNotContain("ash_model_requests_rejected_total 0.0");
    }

    private static boolean isOfTheAttack(ModelRequest request) {
        return "exits".equals(request.headers().get("user-agent"));
    }

    /** Whether the provider is asked to offer its web search. */
    static boolean searches(ModelRequest request) {
        return request.body()
                .path("tools")
                .valueStream()
                .anyMatch(tool -> tool.path("type").asString("").startsWith("web_search"));
    }

    private Exits() {}
}

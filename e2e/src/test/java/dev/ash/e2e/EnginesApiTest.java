package dev.ash.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import tools.jackson.databind.JsonNode;

/** Tests the list of engines, with a configured engine and a stand-in for an installed one. */
class EnginesApiTest {
    private static final String OWN =
            """
            {"own": {"driver": "acp", "command": "/usr/bin/env", "provider": "google",
              "env": {"GEMINI_API_KEY": "{model.key}"}}}
            """;

    @RegisterExtension
    static final AshExtension ash =
            AshExtension.demo()
                    .with("PATH", "/usr/bin:/bin")
                    .with("ASH_ENGINES", OWN)
                    .with("OPENAI_API_KEY", "sk-openai-key-of-nobody")
                    .with("GOOSE_EXECUTABLE", "/usr/bin/env");

    private static JsonNode engine(ApiResponse answer, String name) {
        return answer.expect(200)
                .at("/engines")
                .valueStream()
                .filter(engine -> engine.path("name").asString().equals(name))
                .findFirst()
                .orElseThrow();
    }

    @Test
    void listsBuiltInAndConfiguredEngines() {
        var answer = ash.api().get("/api/engines").expect(200);

        assertThat(answer.at("/engines").valueStream().map(e -> e.path("name").asString()))
                .containsSubsequence("claude", "codex", "opencode", "goose", "own", "demo");
        var goose = engine(answer, "goose");
        assertThat(goose.path("installed").asBoolean()).isTrue();
        assertThat(goose.path("hasCredential").asBoolean()).isTrue();
        assertThat(goose.path("missing").isMissingNode() || goose.path("missing").isNull()).isTrue();
        assertThat(goose.path("path").asString()).isEqualTo("/usr/bin/env");
        assertThat(goose.path("capabilities").valueStream().map(JsonNode::asString))
                .contains("approvals", "interrupt");
        var own = engine(answer, "own");
        assertThat(own.path("driver").asString()).isEqualTo("acp");
        assertThat(own.path("missing").asString()).contains("GEMINI_API_KEY");
        assertThat(engine(answer, "codex").path("missing").asString())
                .contains("ash engines install codex");
        assertThat(engine(answer, "demo").path("installed").asBoolean()).isTrue();
        assertThat(answer.text()).doesNotContain("sk-openai");
    }

    @Test
    void showsPathsToAdministratorsOnly() {
        var key =
                ash.api()
                        .post("/api/api-keys", Map.of("scopes", List.of("run", "approve")))
                        .expect(201)
                        .at("/key")
                        .asString();

        try (var api = new Api(ash.api().base(), key)) {
            assertThat(engine(api.get("/api/engines"), "goose").path("path").asString(""))
                    .isEmpty();
        }
    }
}

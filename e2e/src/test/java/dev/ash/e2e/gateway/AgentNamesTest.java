package dev.ash.e2e.gateway;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ash.e2e.AshExtension;
import dev.ash.e2e.NeedsEngine;
import dev.ash.e2e.Resources;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;

/**
 * Tests the agent names of the published protocol with the real CLIs, except for aider, which a
 * script replaces.
 */
@NeedsEngine({"claude", "opencode", "goose"})
class AgentNamesTest {
    @RegisterExtension
    static final AshExtension ash =
            AshExtension.engines("opencode", "goose", "claude")
                    .with(
                            "AIDER_EXECUTABLE",
                            directory ->
                                    directory
                                            .program(
                                                    "aider",
                                                    Resources.text("engines/standin_aider.sh"))
                                            .toString())
                    .gateway()
                    .sampleProject();

    private static Phone phone;

    @BeforeAll
    static void start() {
        phone = Phone.enter(ash.pair());
    }

    @AfterAll
    static void stop() {
        phone.close();
    }

    @ParameterizedTest
    @ValueSource(strings = {"claude-code", "opencode", "aider", "goose"})
    void startsSessionWithEachName(String agent) {
        var session = phone.start(agent, ash.project().directory());

        assertThat(Phone.text(phone.turn(session, "SAY:hello from " + agent)))
                .contains("hello from " + agent);
    }

    @Test
    void listsInstalledEnginesWithTheirVersions() {
        var names =
                phone.ack().path("supported_agents").valueStream().map(JsonNode::asString).toList();
        assertThat(names)
                .contains("claude-code", "opencode", "aider", "goose")
                .doesNotContain("codex", "gemini");
        var opencode =
                phone.ack()
                        .path("agents")
                        .valueStream()
                        .filter(agent -> agent.path("name").asString().equals("opencode"))
                        .findFirst()
                        .orElseThrow();
        assertThat(opencode.path("version").asString()).isEqualTo("1.18.33");
        assertThat(opencode.path("capabilities").valueStream().map(JsonNode::asString))
                .contains("approvals", "interrupt");
    }
}

package dev.ash.server.gateway;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ash.protocol.json.JsonObject;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class NotificationTextTest {
    private static final DeviceSessions.Summary SESSION = session("/home/me/shop");

    private static DeviceSessions.Summary session(String directory) {
        return new DeviceSessions.Summary(
                "1", "claude-code", "Add a cart", directory, null, "active", false);
    }

    private static NotificationText approvalRequired(String json) throws Exception {
        return NotificationText.approvalRequired(SESSION, JsonObject.parse(json));
    }

    @Test
    void namesCommandAndProjectOfApproval() throws Exception {
        var text =
                approvalRequired(
                        """
                        {"id":"a","kind":"tool","tool":"Bash","description":"Build it",
                        "input":{"command":"make all","description":"Build it"}}""");

        assertThat(text.title()).isEqualTo("Approval needed: Build it");
        assertThat(text.body()).isEqualTo("claude-code wants to use Bash: make all in shop");
        assertThat(text.type()).isEqualTo("approval_required");
    }

    @Test
    void showsTextOfQuestion() throws Exception {
        var question =
                """
                {"id":"a","kind":"question","tool":"AskUserQuestion","description":"AskUserQuestion",
                "input":{"questions":[{"question":"Which database?","options":[]},
                {"question":"And which port?"}]}}""";

        assertThat(ToolTexts.describeApproval(JsonObject.parse(question)))
                .isEqualTo("Which database?\nAnd which port?");
        assertThat(approvalRequired(question).title()).isEqualTo("Question in shop");
        assertThat(approvalRequired(question).body()).isEqualTo("Which database?");
    }

    @Test
    void describesQuestionsAndPlansOfUnexpectedFormat() throws Exception {
        for (var input :
                new String[] {
                    "{}", "{\"questions\":7}", "{\"questions\":[7,{}]}", "{\"plan\":7}"
                }) {
            for (var kind : new String[] {"question", "plan", "tool"}) {
                var json = "{\"kind\":\"%s\",\"tool\":\"Ask\",\"input\":%s}".formatted(kind, input);
                assertThat(ToolTexts.describeApproval(JsonObject.parse(json)))
                        .as(json)
                        .isEqualTo("Ask");
            }
        }
        var plan =
                "{\"kind\":\"plan\",\"tool\":\"ExitPlanMode\",\"input\":{\"plan\":\"# Plan\\nStep 1\"}}";
        assertThat(ToolTexts.describeApproval(JsonObject.parse(plan))).isEqualTo("# Plan\nStep 1");
    }

    @Test
    void showsFirstLineOfAnswer() {
        var finished = new TurnOutcome(Optional.empty(), "\n  Done: 3 files.\nDetails follow");
        var text = NotificationText.finished(SESSION, finished);

        assertThat(text.title()).isEqualTo("shop: the agent has finished");
        assertThat(text.body()).isEqualTo("Done: 3 files.");
        assertThat(NotificationText.finished(SESSION, new TurnOutcome(Optional.empty(), "")).body())
                .as("without an answer")
                .isEqualTo("Add a cart");
    }

    @Test
    void reportsFailedTurns() {
        var failed = new TurnOutcome(Optional.of("API Error: 401"), "API Error: 401");
        var text = NotificationText.finished(SESSION, failed);

        assertThat(text.type()).isEqualTo("error");
        assertThat(text.priority()).isEqualTo("high");
        assertThat(text.title()).isEqualTo("shop: the agent failed");
        assertThat(text.body()).isEqualTo("API Error: 401");
    }

    @Test
    void namesAgentIfSessionWorksInWorkspace() {
        assertThat(session("/workspace").project()).isEqualTo("claude-code");
        assertThat(session("/").project()).isEqualTo("claude-code");
        assertThat(session("").project()).isEqualTo("claude-code");
        assertThat(session("/home/me/workspace").project()).isEqualTo("workspace");
    }
}

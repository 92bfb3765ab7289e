package dev.ash.bridge;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class AcpApprovalTest {
    private static final String ASK = ",\"permissionMode\":\"ask\"";

    @TempDir private Path directory;
    private FakeAgent agent;

    @BeforeEach
    void install() throws IOException {
        agent = FakeAgent.in(directory);
    }

    @AfterEach
    void close() throws IOException {
        agent.close();
    }

    /** Returns the outcomes that the agent received for its questions. */
    private List<String> outcomes() throws IOException {
        return agent.entries().stream()
                .filter(entry -> entry.line().contains("\"outcome\""))
                .map(entry -> entry.at("result").at("outcome"))
                .map(outcome -> outcome.text("outcome") + " " + outcome.text("optionId"))
                .toList();
    }

    private static List<String> texts(List<RawClient.Event> events) {
        return events.stream()
                .filter(event -> event.data().startsWith("{\"type\":\"assistant\""))
                .map(event -> MessageTypes.block(event).text("text"))
                .filter(text -> !text.isEmpty())
                .toList();
    }

    @Test
    void asksPersonAndAllowsOnce() throws IOException {
        var client = agent.open(ASK);
        client.query("ask make", ",\"turnId\":\"t1\"");

        var before = client.until(event -> event.kind().equals("approval"));
        var question = before.getLast();
        agent.approve(question, true, "");
        var rest = client.untilDone();

        assertThat(MessageTypes.of(before)).containsExactly("system", "assistant tool_use");
        assertThat(question.text("tool")).isEqualTo("Bash");
        assertThat(question.at("input").text("command")).isEqualTo("make");
        assertThat(question.text("toolUseId")).isEqualTo("c1");
        assertThat(outcomes()).containsExactly("selected yes");
        assertThat(texts(rest)).containsExactly("outcome yes");
    }

    @Test
    void allowsWithoutQuestionInBypassMode() throws IOException {
        agent.open("");

        var events = agent.turn("ask make", "");

        assertThat(events).noneMatch(event -> event.kind().equals("approval"));
        assertThat(outcomes()).containsExactly("selected yes");
    }

    @Test
    void sendsReasonOfRejectionToModelInSameTurn() throws IOException {
        var client = agent.open(ASK);
        client.query("ask make", ",\"turnId\":\"t1\"");

        agent.approve(client.nextOf("approval"), false, ",\"message\":\"use ninja\"");
        var rest = client.untilDone();

        assertThat(outcomes()).containsExactly("selected no");
        assertThat(MessageTypes.of(rest))
                .containsExactly("user tool_result", "assistant text", "result");
        assertThat(texts(rest).getFirst()).contains("not approved: use ninja");
        assertThat(agent.received("session/prompt")).hasSize(2);
        var result = rest.get(rest.size() - 2).message();
        assertThat(
                        result.elements("permission_denials")
                                .getFirst()
                                .at("tool_input")
                                .text("command"))
                .isEqualTo("make");
    }

    @Test
    void sendsModifiedInputToModelInSameTurn() throws IOException {
        var client = agent.open(ASK);
        client.query("ask make", ",\"turnId\":\"t1\"");

        agent.approve(client.nextOf("approval"), true, ",\"input\":{\"command\":\"ninja\"}");
        var rest = client.untilDone();

        assertThat(outcomes()).containsExactly("selected no");
        assertThat(texts(rest).getFirst()).contains("this input instead", "ninja");
    }

    @Test
    void endsTurnAfterRejectionWithoutReason() throws IOException {
        var client = agent.open(ASK);
        client.query("ask-unreported make", ",\"turnId\":\"t1\"");

        agent.approve(client.nextOf("approval"), false, "");
        var rest = client.untilDone();

        assertThat(MessageTypes.of(rest)).containsExactly("user tool_result", "result");
        assertThat(agent.received("session/prompt")).hasSize(1);
    }

    @Test
    void cancelsQuestionsAfterInterrupt() throws IOException {
        var client = agent.open(ASK);
        client.query("ask make", ",\"turnId\":\"t1\"");
        var question = client.nextOf("approval");

        client.send("{\"cmd\":\"interrupt\",\"turnId\":\"t1\"}");
        var rest = client.untilDone();

        assertThat(outcomes()).containsExactly("cancelled ");
        assertThat(rest)
                .filteredOn(event -> event.kind().equals("approval_gone"))
                .extracting(event -> event.text("id"))
                .containsExactly(question.text("id"));
        assertThat(rest.get(rest.size() - 2).message().text("terminal_reason"))
                .isEqualTo("aborted_streaming");
    }

    @Test
    void answersEveryQuestionOfCall() throws IOException {
        var client = agent.open(ASK);
        client.query("ask-twice make", ",\"turnId\":\"t1\"");

        var first = client.nextOf("approval");
        agent.approve(first, true, "");
        var second = client.nextOf("approval");
        agent.approve(second, true, "");
        client.untilDone();

        assertThat(outcomes()).containsExactly("selected yes", "selected yes");
    }

    @Test
    void doesNotGrantPermanentPermissionToPersonsSession() throws IOException {
        var client = agent.open(ASK);
        client.query("ask-always make", ",\"turnId\":\"t1\"");

        agent.approve(client.nextOf("approval"), true, "");
        client.untilDone();

        assertThat(outcomes()).containsExactly("cancelled ");
    }

    @Test
    void rulesOfAgentDecideWithoutPerson() throws IOException {
        var settings = directory.resolve("agent/.claude/settings.json");
        Files.createDirectories(settings.getParent());
        Files.writeString(settings, "{\"permissions\":{\"allow\":[\"Bash(git:*)\"]}}");
        agent.open("");

        var allowed = agent.turn("ask git status", "");
        var denied = agent.turn("ask make", "");

        assertThat(outcomes()).containsExactly("selected yes", "selected no");
        assertThat(texts(allowed)).containsExactly("outcome yes");
        assertThat(texts(denied).getFirst())
                .as("the agent stopped, so the model gets the reason")
                .contains("no rule of permissions.allow");
    }

    @Test
    void rejectsRulesThatCannotBeEnforced() throws IOException {
        agent.open(ASK + ",\"disallowedTools\":[\"Read(./.env)\"]");

        assertThat(agent.turn("hello", "").getLast().text("error"))
                .contains("fake cannot enforce the rule 'Read(./.env)'");
    }

    @Test
    void decisionAfterExitAppliesToSameCallOnce() throws IOException {
        var client = agent.open(ASK);
        client.query("ask-die make", ",\"turnId\":\"t1\"");
        var question = client.nextOf("approval");
        agent.process().destroyForcibly();
        var failed = client.untilDone();
        agent.approve(question, true, "");

        client.query("ask make", ",\"turnId\":\"t2\"");
        var rest = client.untilDone();

        assertThat(failed).noneMatch(event -> event.kind().equals("approval_gone"));
        assertThat(rest).noneMatch(event -> event.kind().equals("approval"));
        assertThat(outcomes()).containsExactly("selected yes");
    }
}

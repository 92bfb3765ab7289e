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

/** Tests the permission mode {@code ask} with the real CLI. */
class ClaudeApprovalTest {
    @TempDir private Path directory;
    private RealClaude claude;

    @BeforeEach
    void prepare() throws IOException {
        claude = RealClaude.in(directory);
    }

    @AfterEach
    void close() throws IOException {
        if (claude != null) {
            claude.close();
        }
    }

    private void open() throws IOException {
        claude.open();
        claude.configure(",\"permissionMode\":\"ask\"");
    }

    private RawClient.Event ask(String prompt) throws IOException {
        claude.client().query(prompt, ",\"turnId\":\"t1\"");
        return claude.client().nextOf("approval");
    }

    private Path file(String name) {
        return claude.bridge().workspace().resolve(name);
    }

    private static String answer(List<RawClient.Event> turn) {
        assertThat(turn).extracting(RawClient.Event::kind).doesNotContain("error");
        return turn.get(turn.size() - 2).message().text("result");
    }

    @Test
    void toolWaitsForApproval() throws IOException {
        open();
        var question = ask("TOOL Bash {\"command\":\"touch yes\",\"description\":\"make it\"}");

        assertThat(question.text("turnId")).isEqualTo("t1");
        assertThat(question.text("kind")).isEqualTo("tool");
        assertThat(question.text("tool")).isEqualTo("Bash");
        assertThat(question.text("id")).startsWith("toolu_").isEqualTo(question.text("toolUseId"));
        assertThat(question.text("description")).isEqualTo("make it");
        assertThat(question.at("input").text("command")).isEqualTo("touch yes");
        assertThat(file("yes")).doesNotExist();

        claude.approve(question, true, "");
        claude.approve(question, false, "");

        claude.client().untilDone();
        assertThat(file("yes")).exists();
    }

    @Test
    void runsModifiedInput() throws IOException {
        open();
        var question = ask("TOOL Bash {\"command\":\"touch asked\"}");

        claude.approve(question, true, ",\"input\":{\"command\":\"touch changed\"}");

        claude.client().untilDone();
        assertThat(file("changed")).exists();
        assertThat(file("asked")).doesNotExist();
    }

    @Test
    void sendsRejectionToModelAndContinuesTurn() throws IOException {
        open();
        var question = ask("TOOL Bash {\"command\":\"touch no\"}");

        claude.approve(question, false, ",\"message\":\"use the other folder\"");

        assertThat(answer(claude.client().untilDone())).contains("use the other folder");
        assertThat(file("no")).doesNotExist();
    }

    @Test
    void doesNotAskForReadsAndAppliesDenyRules() throws IOException {
        var rules =
                "{\"permissions\":{\"allow\":[\"Bash(mkdir:*)\",\"Write\"],\"deny\":[\"Bash(curl:*)\"]}}";
        for (var directoryName : List.of("agent", "workspace")) {
            var settings = directory.resolve(directoryName).resolve(".claude/settings.json");
            Files.createDirectories(settings.getParent());
            Files.writeString(settings, rules);
        }
        open();
        Files.writeString(file("needle"), "found it");
        var client = claude.client();

        assertThat(
                        answer(
                                client.query("TOOL Read {\"file_path\":\"" + file("needle") + "\"}")
                                        .untilDone()))
                .contains("found it");
        client.query("TOOL Bash {\"command\":\"mkdir by-pattern\"}").untilDone();
        assertThat(file("by-pattern")).exists();
        client.query("TOOL Write {\"file_path\":\"" + file("whole") + "\",\"content\":\"x\"}")
                .untilDone();
        assertThat(file("whole")).exists();

        var question = ask("TOOL Bash {\"command\":\"touch no-pattern\"}");
        assertThat(question.text("tool")).isEqualTo("Bash");
        claude.approve(question, true, "");
        client.untilDone();
        assertThat(file("no-pattern")).exists();

        assertThat(
                        answer(
                                client.query("TOOL Bash {\"command\":\"curl http://127.0.0.1:1\"}")
                                        .untilDone()))
                .contains("has been denied");
    }

    @Test
    void reportsModelQuestionsAndPlansWithTheirKind() throws IOException {
        open();
        var asked =
                ask(
                        "TOOL AskUserQuestion {\"questions\":[{\"question\":\"Which?\",\"header\":\"H\","
                                + "\"options\":[{\"label\":\"A\",\"description\":\"a\"},"
                                + "{\"label\":\"B\",\"description\":\"b\"}],\"multiSelect\":false}]}");
        assertThat(asked.text("kind")).isEqualTo("question");
        claude.approve(asked, true, ",\"input\":{\"answers\":{\"Which?\":\"B\"}}");
        assertThat(claude.client().untilDone())
                .anySatisfy(event -> assertThat(event.data()).contains("\\\"Which?\\\"=\\\"B\\\""));

        claude.client().query("TOOL EnterPlanMode {}", ",\"turnId\":\"t2\"").untilDone();
        claude.client().query("TOOL ExitPlanMode {\"plan\":\"do it\"}", ",\"turnId\":\"t3\"");
        var plan = claude.client().nextOf("approval");
        assertThat(plan.text("kind")).isEqualTo("plan");
        claude.approve(plan, true, "");
        assertThat(claude.client().untilDone())
                .anySatisfy(event -> assertThat(event.data()).contains("approved your plan"));
    }

    @Test
    void interruptEndsTurnAndWithdrawsQuestion() throws IOException {
        open();
        var question = ask("TOOL Bash {\"command\":\"touch no\"}");

        claude.client().send("{\"cmd\":\"interrupt\",\"turnId\":\"t1\"}");

        var rest = claude.client().untilDone();
        assertThat(rest.getFirst().kind()).isEqualTo("approval_gone");
        assertThat(rest.getFirst().text("id")).isEqualTo(question.text("id"));
        assertThat(rest.get(rest.size() - 2).message().text("subtype"))
                .isEqualTo("error_during_execution");
        claude.approve(question, true, "");
        assertThat(answer(claude.client().query("hello").untilDone())).isEqualTo("You said: hello");
        assertThat(file("no")).doesNotExist();
    }

    @Test
    void doesNotWithdrawQuestionWhenProgramExits() throws IOException {
        open();
        ask("TOOL Bash {\"command\":\"touch no\"}");

        ProcessHandle.of(Long.parseLong(claude.starts().getLast())).orElseThrow().destroyForcibly();

        var rest = claude.client().untilDone();
        assertThat(rest).extracting(RawClient.Event::kind).containsExactly("error", "done");
        assertThat(rest.getFirst().json().isTrue("engineGone")).isTrue();
    }

    @Test
    void asksAndAnswersConcurrentQuestions() throws IOException {
        open();
        var client = claude.client();
        client.query(
                "TOOL Task {\"description\":\"one\",\"prompt\":\"TOOL Bash {\\\"command\\\":\\\"touch"
                        + " sub1\\\"}\",\"subagent_type\":\"general-purpose\"} AND TOOL Task"
                        + " {\"description\":\"two\",\"prompt\":\"TOOL Bash {\\\"command\\\":\\\"touch"
                        + " sub2\\\"}\",\"subagent_type\":\"general-purpose\"}",
                ",\"turnId\":\"t1\"");
        var first = client.nextOf("approval");
        var second = client.nextOf("approval");

        claude.approve(second, true, "");
        claude.approve(first, false, "");

        client.untilDone();
        assertThat(file(second.at("input").text("command").substring(6))).exists();
        assertThat(file(first.at("input").text("command").substring(6))).doesNotExist();
    }
}

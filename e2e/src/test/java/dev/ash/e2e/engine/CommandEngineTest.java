package dev.ash.e2e.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.ash.e2e.AshExtension;
import dev.ash.e2e.Frame;
import dev.ash.e2e.Resources;
import dev.ash.e2e.TestSession;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * Tests engines that are commands: a stand-in for aider, which gets its prompt as an argument, and
 * a configured one that reads it.
 */
class CommandEngineTest {
    @RegisterExtension
    static final AshExtension ash =
            AshExtension.demo()
                    .with(
                            "AIDER_EXECUTABLE",
                            directory ->
                                    directory
                                            .program(
                                                    "aider",
                                                    Resources.text("engines/standin_aider.sh"))
                                            .toString())
                    .with(
                            "ASH_ENGINES",
                            """
                            {"upper": {"driver": "command", "command": "/usr/bin/tr",
                                       "args": ["a-z", "A-Z"], "provider": "anthropic"}}""")
                    .agent("hello");

    private static TestSession session(String engine) {
        return ash.session(Map.of("agent", "hello", "engine", engine));
    }

    @Test
    void outputOfCommandIsTheAnswer() {
        var frames = session("upper").ask("read from the standard input");

        assertThat(Frame.said(frames)).contains("READ FROM THE STANDARD INPUT");
        assertThat(Frame.names(frames)).doesNotContain("error").endsWith("done");
        assertThat(ContractServer.messages(frames).getLast().path("is_error").asBoolean())
                .isFalse();
    }

    @Test
    void passesPromptAsLastArgument() {
        assertThat(Frame.said(session("aider").ask("SAY:hello there")))
                .contains("aider says: hello there");
    }

    @Test
    void exitCodeDecidesAboutSuccess() {
        var session = session("aider");

        var result =
                ContractServer.messages(session.ask("RUN:echo half of it; echo broken >&2; exit 3"))
                        .getLast();

        assertThat(result.path("type").asString()).isEqualTo("result");
        assertThat(result.path("is_error").asBoolean()).isTrue();
        assertThat(result.path("result").asString()).contains("3", "broken");
        assertThat(Frame.said(session.ask("SAY:next"))).contains("next");
    }

    @Test
    void interruptEndsCommandAndItsProcesses() {
        var session = session("aider");
        try (var turn = session.send("RUN:echo up > up; sleep 4713")) {
            session.awaitWorkspaceFile("up", "up\n");

            assertThat(session.post("interrupt").expect(200).at("/interrupted").asBoolean())
                    .isTrue();

            turn.rest();
        }
        await().atMost(Duration.ofSeconds(10))
                .until(
                        () ->
                                session.processes().stream()
                                        .noneMatch(p -> p.command().contains("sleep 4713")));
        assertThat(Frame.said(session.ask("SAY:on"))).contains("on");
    }

    @Test
    void rejectsApprovalsThatCommandsCannotHave() {
        var session =
                ash.session(Map.of("agent", "hello", "engine", "aider", "permissionMode", "ask"));

        var frames = session.ask("SAY:never");

        assertThat(Frame.names(frames)).endsWith("error", "done");
        assertThat(Frame.only("error", frames).getFirst().data()).contains("permissionMode");
    }
}

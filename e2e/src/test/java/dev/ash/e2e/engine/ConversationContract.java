package dev.ash.e2e.engine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ash.e2e.ApiResponse;
import dev.ash.e2e.Frame;
import dev.ash.e2e.TestSession;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Prompts, tools and the conversation across processes and copies. */
interface ConversationContract extends ContractPart {
    @Test
    @Proves(Property.TURN)
    default void answersPromptWithMessagesAndUsage() {
        server().inSession(this::assertWholeTurn);
    }

    private void assertWholeTurn(TestSession session) {
        var frames = session.ask("SAY:grüße 🚀 日本語");

        assertThat(Frame.said(frames)).isEqualTo("grüße 🚀 日本語");
        assertThat(Frame.names(frames)).doesNotContain("error").endsWith("done");
        var messages = ContractServer.messages(frames);
        assertThat(messages.getFirst().path("type").asString()).isEqualTo("system");
        assertThat(messages.getFirst().path("subtype").asString()).isEqualTo("init");
        var result = messages.getLast();
        assertThat(result.path("type").asString()).isEqualTo("result");
        assertThat(result.path("is_error").asBoolean()).isFalse();
        assertThat(result.path("result").asString()).isEqualTo("grüße 🚀 日本語");
        assertThat(result.path("session_id").asString()).isNotEmpty();
        if (engine() != TestedEngines.CLAUDE) {
            assertThat(result.path("raw").isObject()).as("original line of the engine").isTrue();
        }
        var usage = server().ash().api().get(session.path()).expect(200).at("/session/usage");
        assertThat(usage.path("inputTokens").asInt()).isPositive();
        assertThat(usage.path("outputTokens").asInt()).isPositive();
        assertThat(server().callAfter(session, "a second turn").everything())
                .containsOnlyOnce("Instructions of the agent")
                .contains("grüße 🚀 日本語");
    }

    @Test
    @Proves(Property.STREAM)
    default void streamsAnswerInParts() {
        server().inSession(
                        session -> {
                            List<Frame> frames;
                            try (var stream =
                                    session.send(
                                            "SAY:streamed in several parts, with 🚀 in it",
                                            ContractServer.PARTIAL)) {
                                frames = stream.rest();
                            }

                            assertThat(Frame.only("text_delta", frames)).hasSizeGreaterThan(1);
                            assertThat(ContractServer.deltas(frames))
                                    .isEqualTo("streamed in several parts, with 🚀 in it");
                            assertThat(Frame.said(frames))
                                    .isEqualTo("streamed in several parts, with 🚀 in it");
                        });
    }

    @Test
    @Proves(Property.TOOL)
    default void runsCommandAndReportsItsResult() {
        server().inSession(this::assertCommandRuns);
    }

    private void assertCommandRuns(TestSession session) {
        var command = "echo from-the-tool > made.txt && cat made.txt";

        var frames = session.ask(engine().run(command) + "\nSAY:and that was it");

        var call = Frame.only("tool_use", frames).getFirst().json();
        assertThat(call.path("name").asString()).isEqualTo("Bash");
        assertThat(call.at("/input/command").asString()).isEqualTo(command);
        var results = Frame.only("tool_result", frames);
        assertThat(results).hasSize(1);
        var result = results.getFirst().json();
        assertThat(result.path("tool_use_id")).isEqualTo(call.path("id"));
        assertThat(result.path("is_error").asBoolean(false)).isFalse();
        assertThat(session.workspaceFile("made.txt")).isEqualTo("from-the-tool\n");
        assertThat(Frame.said(frames)).isEqualTo("and that was it");
        assertThat(server().model().turns().getLast().toolResults().getLast().text())
                .contains("from-the-tool");
    }

    @Test
    @Proves(Property.TOOL_OUTPUT)
    default void reportsOutputOfCommand() {
        server().inSession(
                        session -> {
                            var frames =
                                    session.ask(engine().run("echo shown-output") + "\nSAY:shown");

                            var result = Frame.only("tool_result", frames).getFirst().data();
                            if (engine().can(Property.TOOL_OUTPUT)) {
                                assertThat(result).contains("shown-output");
                            } else {
                                assertThat(result).doesNotContain("shown-output");
                                assertThat(frames.toString())
                                        .contains(engine().answerInstead(Property.TOOL_OUTPUT));
                            }
                        });
    }

    @Test
    @Proves({Property.MCP_TOOL, Property.MCP_INPUT})
    default void callsToolOfMcpServer() {
        server().inSession(
                        session -> {
                            var frames =
                                    session.ask(
                                            engine().call("echo", "echo", Map.of("text", "there"))
                                                    + "\nSAY:echoed");

                            var call = Frame.only("tool_use", frames).getFirst().json();
                            assertThat(call.path("name").asString()).isEqualTo("mcp__echo__echo");
                            if (engine().can(Property.MCP_INPUT)) {
                                assertThat(call.at("/input/text").asString()).isEqualTo("there");
                            } else {
                                assertThat(frames.toString())
                                        .contains(engine().answerInstead(Property.MCP_INPUT));
                            }
                            assertThat(Frame.only("tool_result", frames).getFirst().data())
                                    .contains("hello there");
                            assertThat(Frame.said(frames)).isEqualTo("echoed");
                        });
    }

    @Test
    @Proves(Property.RESUME)
    default void newProcessContinuesConversation() {
        server().inSession(
                        session -> {
                            session.ask("SAY:remember the number 4711");
                            var before = EngineProcesses.pids(session, engine());
                            session.post("stop").expect(200);
                            session.post("resume").expect(200);

                            var call = server().callAfter(session, "what was the number?");

                            assertThat(call.everything()).contains("remember the number 4711");
                            assertThat(EngineProcesses.pids(session, engine()))
                                    .isNotEmpty()
                                    .doesNotContainAnyElementsOf(before);
                        });
    }

    @Test
    @Proves(Property.FORK)
    default void forkContinuesConversation() {
        server().inNewSession(
                        Map.of(),
                        session -> {
                            session.ask("SAY:first plum");
                            var fork = fork(session, Map.of()).expect(201).at("/session/id");
                            var copy = TestSession.of(server().ash().server(), fork.asString());

                            var copied = server().callAfter(copy, "in the copy");
                            var original = server().callAfter(session, "in the original");

                            assertThat(copied.everything()).contains("first plum");
                            assertThat(original.everything())
                                    .contains("first plum")
                                    .doesNotContain("SAY:in the copy");
                            copy.end();
                        });
    }

    @Test
    @Proves(Property.FORK_AT_TURN)
    default void forkContinuesFromChosenTurn() {
        server().inNewSession(Map.of(), this::assertForksAtTurn);
    }

    private void assertForksAtTurn(TestSession session) {
        session.ask("SAY:first plum");
        var first = session.messages().getLast().path("turnId").asString();
        session.ask("SAY:second plum");
        var answer = fork(session, Map.of("turnId", first));
        if (!engine().can(Property.FORK_AT_TURN)) {
            assertThat(answer.status() == 201 ? firstTurn(answer) : answer.text())
                    .contains(engine().answerInstead(Property.FORK_AT_TURN));
            return;
        }
        var id = answer.expect(201).at("/session/id").asString();
        var copy = TestSession.of(server().ash().server(), id);

        var copied = server().callAfter(copy, "from the first");

        assertThat(copied.everything()).contains("first plum").doesNotContain("second plum");
        copy.end();
    }

    /** Returns the answer to the first message of a fork, which opens the conversation. */
    private String firstTurn(ApiResponse created) {
        var id = created.at("/session/id").asString();
        return server().ash()
                .api()
                .post("/api/sessions/" + id + "/messages", Map.of("content", "SAY:never"))
                .text();
    }

    private ApiResponse fork(TestSession session, Map<String, ?> request) {
        return server().ash().api().post(session.path() + "/fork", request);
    }
}

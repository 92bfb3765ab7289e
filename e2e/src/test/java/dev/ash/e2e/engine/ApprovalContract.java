package dev.ash.e2e.engine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ash.e2e.Frame;
import dev.ash.e2e.TestSession;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Calls that wait for a person, and questions of the model. */
interface ApprovalContract extends ContractPart {
    @Test
    @Proves(Property.APPROVE)
    default void approvedCallRunsOnce() {
        server().inAskingSession(
                        session -> {
                            var script = engine().run("echo x >> approved.txt") + "\nSAY:it ran";
                            try (var turn = session.send(script)) {
                                var question = turn.next("approval_required").json();
                                assertThat(question.path("kind").asString()).isEqualTo("tool");
                                assertThat(question.path("tool").asString()).isEqualTo("Bash");
                                assertThat(question.at("/input/command").asString())
                                        .isEqualTo("echo x >> approved.txt");
                                assertThat(session.workspaceFile("approved.txt")).isEmpty();

                                session.approve(question);

                                assertThat(Frame.said(turn.rest())).isEqualTo("it ran");
                            }
                            assertThat(session.workspaceFile("approved.txt")).isEqualTo("x\n");
                            assertThat(session.pendingApprovals()).isEmpty();
                        });
    }

    @Test
    @Proves(Property.APPROVE_MCP)
    default void callOfMcpToolWaitsForApproval() {
        server().inAskingSession(
                        session -> {
                            var call = engine().call("echo", "echo", Map.of("text", "there"));
                            try (var turn = session.send(call + "\nSAY:echoed")) {
                                var question = turn.next("approval_required").json();
                                assertThat(question.path("tool").asString())
                                        .isEqualTo("mcp__echo__echo");

                                session.approve(question);

                                var rest = turn.rest();
                                assertThat(Frame.said(rest)).isEqualTo("echoed");
                                assertThat(Frame.only("tool_result", rest).getFirst().data())
                                        .contains("hello there");
                            }
                        });
    }

    @Test
    @Proves(Property.REJECT)
    default void rejectedCallDoesNotRun() {
        server().inAskingSession(
                        session -> {
                            var frames =
                                    answer(
                                            session,
                                            engine().run("touch rejected.txt") + "\nSAY:without",
                                            Map.of("decision", "rejected", "message", "not today"));

                            var result = Frame.only("tool_result", frames).getFirst().json();
                            assertThat(result.path("is_error").asBoolean()).isTrue();
                            assertThat(Frame.names(frames)).doesNotContain("error");
                            assertThat(exists(session, "rejected.txt")).isFalse();
                            var call = server().callAfter(session, "after the no");
                            assertThat(call.everything() + call.toolResults())
                                    .contains("not today");
                        });
    }

    @Test
    @Proves(Property.MODIFIED_INPUT)
    default void callRunsWithInputOfApproval() {
        server().inAskingSession(
                        session -> {
                            answer(
                                    session,
                                    engine().run("touch one.txt") + "\nSAY:as changed",
                                    Map.of(
                                            "decision",
                                            "modified",
                                            "input",
                                            Map.of("command", "touch two.txt")));

                            boolean can = engine().can(Property.MODIFIED_INPUT);
                            assertThat(exists(session, "one.txt")).isFalse();
                            assertThat(exists(session, "two.txt")).isEqualTo(can);
                            if (!can) {
                                assertAnswerInstead(session, Property.MODIFIED_INPUT);
                            }
                        });
    }

    @Test
    @Proves(Property.QUESTION)
    default void modelReceivesAnswerToItsQuestion() {
        var script = engine().question() + "\nSAY:thanks";
        if (!engine().can(Property.QUESTION)) {
            server().inSession(
                            session -> {
                                session.ask(script);
                                assertAnswerInstead(session, Property.QUESTION);
                            });
            return;
        }
        server().inAskingSession(
                        session -> {
                            try (var turn = session.send(script)) {
                                var question = turn.next("approval_required").json();
                                assertThat(question.path("kind").asString()).isEqualTo("question");
                                assertThat(question.at("/input/questions/0/question").asString())
                                        .isEqualTo("Which color?");
                                session.decide(
                                                question,
                                                Map.of(
                                                        "decision",
                                                        "modified",
                                                        "input",
                                                        Map.of(
                                                                "answers",
                                                                Map.of("Which color?", "Blue"))))
                                        .expect(200);
                                assertThat(Frame.said(turn.rest())).isEqualTo("thanks");
                            }
                            var results = server().model().turns().getLast().toolResults();
                            assertThat(results.getLast().text()).contains("Blue");
                        });
    }

    /** Checks what the model receives instead of the property. */
    private void assertAnswerInstead(TestSession session, Property property) {
        var results = server().callAfter(session, "instead of " + property).toolResults();
        assertThat(results.getLast().text()).contains(engine().answerInstead(property));
    }

    private static List<Frame> answer(TestSession session, String script, Map<String, ?> decision) {
        try (var turn = session.send(script)) {
            session.decide(turn.next("approval_required").json(), decision).expect(200);
            return turn.rest();
        }
    }

    private static boolean exists(TestSession session, String file) {
        return session.sandbox().resolve("workspace").resolve(file).toFile().exists();
    }
}

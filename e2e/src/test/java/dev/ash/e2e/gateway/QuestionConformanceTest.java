package dev.ash.e2e.gateway;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ash.e2e.AshExtension;
import dev.ash.e2e.NeedsClaude;
import dev.ash.e2e.Script;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Tests protocol extensions: approvals for a whole session, questions and plans of the model. */
@NeedsClaude
class QuestionConformanceTest {
    private static final Map<String, Object> QUESTION =
            Map.of(
                    "questions",
                    List.of(
                            Map.of(
                                    "question",
                                    "Which fruit?",
                                    "header",
                                    "Fruit",
                                    "multiSelect",
                                    false,
                                    "options",
                                    List.of(
                                            Map.of("label", "Plums", "description", "blue"),
                                            Map.of("label", "Pears", "description", "green")))));

    @RegisterExtension
    static final AshExtension ash = AshExtension.claude().gateway().sampleProject();

    private static String session(Phone phone) {
        return phone.start("claude-code", ash.project().directory());
    }

    @Test
    void doesNotAskAgainAfterAnApprovalForTheSession() {
        try (var phone = Phone.enter(ash.pair(), "approvals_v1")) {
            var session = session(phone);
            phone.say(session, twice("scoped"));
            phone.decide(
                    phone.await("approval_required", session),
                    "approved",
                    Map.of("scope", "session"));
            var frames = phone.until(frame -> Phone.isLast(frame, session));
            assertThat(Phone.types(frames)).doesNotContain("approval_required");
            var resolved = Phone.only("approval_resolved", frames).getFirst().path("payload");
            assertThat(resolved.path("decision").asString()).isEqualTo("approved");
            assertThat(ash.project().read("scoped.txt")).isEqualTo("1\n1\n");
        }
    }

    @Test
    void ignoresTheScopeAndSendsNoResolutionsWithoutTheCapability() {
        try (var phone = Phone.enter(ash.pair())) {
            var session = session(phone);
            phone.say(session, twice("unscoped"));
            phone.decide(
                    phone.await("approval_required", session),
                    "approved",
                    Map.of("scope", "session"));
            phone.decide(phone.await("approval_required", session), "rejected", Map.of());
            var frames = phone.until(frame -> Phone.isLast(frame, session));
            assertThat(Phone.types(frames)).doesNotContain("approval_resolved");
            assertThat(ash.project().read("unscoped.txt")).isEqualTo("1\n");
        }
    }

    private static String twice(String name) {
        var call = Script.bash("echo 1 >> " + name + ".txt");
        return call + "\n" + call + "\nSAY:done";
    }

    @Test
    void sendsAQuestionAsQuestionRequired() {
        try (var phone = Phone.enter(ash.pair(), "questions_v1")) {
            var session = session(phone);
            phone.say(session, Script.tool("AskUserQuestion", QUESTION) + "\nSAY:fruit chosen");
            var asked = phone.await("question_required", session).path("payload");
            assertThat(asked.at("/params/questions/0/question").asString())
                    .isEqualTo("Which fruit?");
            phone.client()
                    .send(
                            "question_response",
                            "q-1",
                            Map.of(
                                    "session_id",
                                    session,
                                    "tool_call_id",
                                    asked.path("tool_call_id").asString(),
                                    "answers",
                                    Map.of("Which fruit?", "Pears")));
            phone.awaitEnd(session);
            var received =
                    ash.model()
                            .await(
                                    request ->
                                            request.isTurn()
                                                    && request.everything().contains("fruit chosen")
                                                    && !request.toolResults().isEmpty());
            assertThat(received.toolResults().getLast().text())
                    .contains("\"Which fruit?\"=\"Pears\"");
        }
    }

    @Test
    void sendsAPlanAsPlanReview() {
        try (var phone = Phone.enter(ash.pair(), "questions_v1")) {
            var session = session(phone);
            phone.say(
                    session,
                    "TOOL:EnterPlanMode {}\n"
                            + Script.tool("ExitPlanMode", Map.of("plan", "Eat the plums."))
                            + "\nSAY:plan approved");
            var frames =
                    phone.until(Phone.is("plan_review_required", session), phone::approveIfAsked);
            var asked = frames.getLast();
            assertThat(asked.at("/payload/tool").asString()).isEqualTo("ExitPlanMode");
            phone.client()
                    .send(
                            "plan_review_response",
                            "p-1",
                            Map.of(
                                    "session_id",
                                    session,
                                    "tool_call_id",
                                    asked.at("/payload/tool_call_id").asString(),
                                    "decision",
                                    "approved"));
            assertThat(Phone.text(phone.until(frame -> Phone.isLast(frame, session))))
                    .isEqualTo("plan approved");
        }
    }

    @Test
    void sendsAQuestionAsAnApprovalWithoutTheCapability() {
        try (var phone = Phone.enter(ash.pair())) {
            var session = session(phone);
            phone.say(session, Script.tool("AskUserQuestion", QUESTION) + "\nSAY:no fruit");
            var asked = phone.await("approval_required", session);
            assertThat(asked.at("/payload/tool").asString()).isEqualTo("AskUserQuestion");
            phone.assertError(
                    "question_response", Map.of("session_id", session), "BRIDGE_ERROR", true);
            phone.decide(asked, "rejected", Map.of());
            phone.awaitEnd(session);
        }
    }
}

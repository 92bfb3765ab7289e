package dev.ash.e2e.pair;

import static dev.ash.e2e.pair.PairQuestionTest.awaitQuestion;
import static org.assertj.core.api.Assertions.assertThat;

import dev.ash.e2e.AshExtension;
import dev.ash.e2e.NeedsClaude;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Two peers in the real Claude Code disagree, and the user decides on a phone. */
@NeedsClaude
class PairArgumentsTest {
    @RegisterExtension static final AshExtension ash = AshExtension.claude().gateway().pairs();

    private static final String DONE =
            "TOOL:mcp__pair__send_to_agent {\"to\":\"claude-2\",\"message_type\":\"signal\",\"signal\":\"DONE\",\"content\":\"done\"}\n";

    /** {@code id} is empty for a new finding, and its id member for one that is raised again. */
    private static String fail(String prompt, String id) {
        return """
        TOOL:mcp__pair__submit_verdict {"verdict":"FAIL","summary":"It must be blue","commit":"%s","findings":[{%s"severity":"major","file":"sum.txt","line":1,"title":"Wrong color"}]}
        SAY:That is my verdict.
        """
                .formatted(PairKilledTest.commit(prompt), id);
    }

    private static void scriptDisagreement() {
        ash.model()
                .when("You are the reviewer of a pair", prompt -> fail(prompt, ""))
                .when("The worker handed over new work", prompt -> fail(prompt, "\"id\":\"F1\","))
                .when(
                        "worker of a pair",
                        _ -> "TOOL:Bash {\"command\":\"echo green > sum.txt\"}\nSAY:DONE")
                .when(
                        "The work is not approved yet",
                        _ -> DONE + "SAY:F1: rejected: the task asks for green");
    }

    @Test
    void showsBothArgumentsOnAPhone() {
        scriptDisagreement();
        var world = new PairWorld(ash);
        try (var phone = PairPhone.pair(world.server())) {
            var id = world.start(Map.of("asksPerson", true));
            var approval = awaitQuestion(world, id);
            phone.join(approval.path("sessionId").asString());
            var asked = phone.asked(approval.path("sessionId").asString());
            assertThat(asked.at("/params/questions/0/question").asString())
                    .contains("It must be blue", "Wrong color", "the task asks for green")
                    .hasSizeLessThan(2_000);

            phone.answer(asked, "Accept");

            var end = world.awaitEnd(id);
            assertThat(end.path("outcome").asString())
                    .as(end.toPrettyString())
                    .isEqualTo("completed");
            assertThat(end.at("/findings/0/fate").asString()).isEqualTo("rejected");
        }
    }
}

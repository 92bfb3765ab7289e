package dev.ash.server.pair;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ash.pair.loop.Arbiter.Answer;
import dev.ash.pair.loop.Arbiter.Decision;
import dev.ash.protocol.json.RawJson;
import dev.ash.protocol.rest.Approval;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class DecisionOptionTest {
    private static Approval approval(
            String status, @Nullable String decidedInput, @Nullable String message) {
        return new Approval(
                "id",
                "session",
                null,
                "question",
                DecisionOption.TOOL,
                null,
                null,
                DecisionOption.toolInput("Pair 1", "What now?"),
                status,
                decidedInput == null ? null : RawJson.of(decidedInput),
                message,
                null,
                "device:phone",
                "then",
                null,
                null,
                "pair",
                null);
    }

    private static Optional<Answer> read(String answer, @Nullable String message) {
        return DecisionOption.read(
                approval(
                        "modified", "{\"answers\":{\"What now?\":%s}}".formatted(answer), message));
    }

    @ParameterizedTest
    @CsvSource({
        "Another round, GO_ON",
        "Accept, ACCEPT",
        "' reject ', REJECT",
        "go_on, GO_ON",
        "ACCEPT, ACCEPT"
    })
    void readsOptionsByLabelOrName(String answer, Decision decision) {
        assertThat(read("\"" + answer + "\"", "so be it"))
                .contains(new Answer(decision, "so be it", "device:phone"));
    }

    @Test
    void readsOtherTextAsCommentToThePeers() {
        assertThat(read("\"Accept no less\"", null))
                .contains(new Answer(Decision.GO_ON, "Accept no less", "device:phone"));
        assertThat(read("\"Use tabs\"", "and hurry"))
                .contains(new Answer(Decision.GO_ON, "Use tabs\nand hurry", "device:phone"));
        assertThat(read("[\"tabs\",2]", null))
                .contains(new Answer(Decision.GO_ON, "tabs, 2", "device:phone"));
        assertThat(read("[\"Accept\"]", null))
                .contains(new Answer(Decision.ACCEPT, "", "device:phone"));
        assertThat(read("\"" + "x".repeat(1_000_000) + "\"", null).orElseThrow().comment())
                .hasSizeLessThan(10_100);
    }

    @Test
    void readsMissingAnswerAsAnotherRound() {
        assertThat(DecisionOption.read(approval("modified", "{\"answers\":{}}", null)))
                .contains(new Answer(Decision.GO_ON, "", "device:phone"));
    }

    @Test
    void readsRejectionAsAnotherRound() {
        assertThat(DecisionOption.read(approval("rejected", null, "ask me tomorrow")))
                .contains(new Answer(Decision.GO_ON, "ask me tomorrow", "device:phone"));
    }

    @ParameterizedTest
    @ValueSource(strings = {"pending", "expired", "cancelled"})
    void returnsEmptyWithoutDecision(String status) {
        assertThat(DecisionOption.read(approval(status, null, null))).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {"GO_ON", "ACCEPT", "REJECT"})
    void readsDecisionsOfThePairApi(String name) {
        var decision = Decision.valueOf(name);
        var decide = DecisionOption.answer(decision, "What now?", "comment");

        assertThat(decide.decision()).isEqualTo("modified");
        assertThat(
                        DecisionOption.read(
                                approval("modified", String.valueOf(decide.input()), "comment")))
                .contains(new Answer(decision, "comment", "device:phone"));
    }
}

package dev.ash.bridge.engine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ash.protocol.bridge.BridgeEvent.Approval;
import dev.ash.protocol.json.RawJson;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class OpenQuestionsTest {
    private record TestQuestion(Turn turn, Approval approval) implements OpenQuestions.Question {
        static TestQuestion of(String id) {
            var input = RawJson.EMPTY_OBJECT;
            return new TestQuestion(
                    Turn.startedByEngine(),
                    new Approval(id, Approval.Kind.TOOL, "Bash", input, id, null));
        }
    }

    private final List<String> reports = new ArrayList<>();
    private final OpenQuestions<TestQuestion> open = new OpenQuestions<>(new RecordingSink());

    private final class RecordingSink implements EngineSink {
        @Override
        public void message(Turn turn, RawJson data) {}

        @Override
        public void turnStarted(Turn turn) {}

        @Override
        public void ask(Turn turn, Approval question) {
            reports.add("asked " + question.id());
        }

        @Override
        public void withdrawQuestion(Turn turn, String questionId) {
            reports.add("withdrawn " + questionId);
        }

        @Override
        public void turnEnded(Turn turn, TurnFailure failure) {}
    }

    @Test
    void removesQuestionOnce() {
        var one = TestQuestion.of("one");
        open.ask(one);

        assertThat(reports).containsExactly("asked one");
        assertThat(open.remove("other")).isNull();
        assertThat(open.remove("one")).isSameAs(one);
        assertThat(open.remove("one")).isNull();
        assertThat(open.remove(one)).isFalse();
    }

    @Test
    void returnsSingleQuestionOnly() {
        assertThat(open.single()).isEmpty();
        open.ask(TestQuestion.of("one"));
        assertThat(open.single()).isPresent();
        open.ask(TestQuestion.of("two"));
        assertThat(open.single()).isEmpty();
    }

    @Test
    void reportsWithdrawnButNotRemovedQuestions() {
        for (var id : List.of("one", "two", "three", "four")) {
            open.ask(TestQuestion.of(id));
        }
        reports.clear();

        open.withdraw(question -> question.approval().id().equals("two"));
        assertThat(open.contains("two")).isFalse();
        assertThat(reports).containsExactly("withdrawn two");

        open.remove("four");
        open.withdrawAll();
        assertThat(reports).containsExactly("withdrawn two", "withdrawn one", "withdrawn three");

        open.ask(TestQuestion.of("five"));
        assertThat(open.removeAllSilently()).hasSize(1);
        assertThat(open.contains("five")).isFalse();
        assertThat(reports).endsWith("asked five");
    }
}

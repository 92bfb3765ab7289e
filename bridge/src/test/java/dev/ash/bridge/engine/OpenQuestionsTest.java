package dev.ash.bridge.engine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ash.protocol.bridge.BridgeEvent.Approval;
import dev.ash.protocol.json.RawJson;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class OpenQuestionsTest {
    private record Asked(Turn turn, Approval approval) implements OpenQuestions.Question {
        static Asked of(String id) {
            var input = RawJson.EMPTY_OBJECT;
            return new Asked(
                    Turn.own(), new Approval(id, Approval.Kind.TOOL, "Bash", input, id, null));
        }
    }

    private final List<String> told = new ArrayList<>();
    private final OpenQuestions<Asked> open = new OpenQuestions<>(new Told());

    private final class Told implements EngineSink {
        @Override
        public void message(Turn turn, RawJson data) {}

        @Override
        public void turnStarted(Turn turn) {}

        @Override
        public void ask(Turn turn, Approval question) {
            told.add("asked " + question.id());
        }

        @Override
        public void askedNoMore(Turn turn, String questionId) {
            told.add("no more " + questionId);
        }

        @Override
        public void turnEnded(Turn turn, Failure failure) {}
    }

    @Test
    void aQuestionIsTakenOnce() {
        var one = Asked.of("one");
        open.ask(one);

        assertThat(told).containsExactly("asked one");
        assertThat(open.take("other")).isNull();
        assertThat(open.take("one")).isSameAs(one);
        assertThat(open.take("one")).isNull();
        assertThat(open.take(one)).isFalse();
    }

    @Test
    void onlyOneIsOnlyOne() {
        assertThat(open.only()).isEmpty();
        open.ask(Asked.of("one"));
        assertThat(open.only()).isPresent();
        open.ask(Asked.of("two"));
        assertThat(open.only()).isEmpty();
    }

    @Test
    void whatIsWithdrawnIsToldAndWhatIsForgottenIsNot() {
        for (var id : List.of("one", "two", "three", "four")) {
            open.ask(Asked.of(id));
        }
        told.clear();

        open.withdraw(question -> question.approval().id().equals("two"));
        assertThat(open.contains("two")).isFalse();
        assertThat(told).containsExactly("no more two");

        open.take("four");
        open.withdrawAll();
        assertThat(told).containsExactly("no more two", "no more one", "no more three");

        open.ask(Asked.of("five"));
        assertThat(open.forgetAll()).hasSize(1);
        assertThat(open.contains("five")).isFalse();
        assertThat(told).endsWith("asked five");
    }
}

package dev.ash.server.gateway;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ash.protocol.json.RawJson;
import dev.ash.protocol.rest.Approval;
import dev.ash.server.event.EventType;
import dev.ash.server.event.LoggedEvent;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class OpenApprovalsTest {
    private final List<Approval> open = new ArrayList<>();

    private static Approval approval(String id) {
        return new Approval(
                id,
                "s",
                null,
                "tool",
                "Bash",
                null,
                null,
                RawJson.EMPTY_OBJECT,
                "pending",
                null,
                null,
                null,
                null,
                "",
                null,
                null,
                null,
                null);
    }

    private static LoggedEvent asks(String id) {
        return new LoggedEvent(
                1,
                null,
                EventType.APPROVAL_REQUIRED,
                RawJson.of("{\"id\":\"%s\"}".formatted(id)),
                0);
    }

    @Test
    void whatTheLogAsksIsNotAskedTwice() {
        open.add(approval("logged"));
        open.add(approval("before"));
        var questions = new OpenApprovals(() -> open);

        assertThat(questions.isOver(asks("logged"))).isFalse();
        assertThat(questions.left()).extracting(Approval::id).containsExactly("before");
    }

    @Test
    void whatWasAnsweredMeanwhileIsNotAsked() {
        open.add(approval("logged"));
        open.add(approval("before"));
        var questions = new OpenApprovals(() -> open);
        open.clear();

        assertThat(questions.isOver(asks("logged"))).isTrue();
        assertThat(questions.left()).isEmpty();
    }

    @Test
    void aQuestionThatCameWhileTheLogWasToldIsAsked() {
        var questions = new OpenApprovals(() -> open);
        open.add(approval("new"));

        assertThat(questions.isOver(asks("new"))).isFalse();
        assertThat(questions.left()).isEmpty();
    }
}

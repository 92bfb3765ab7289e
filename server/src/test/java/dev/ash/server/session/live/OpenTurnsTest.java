package dev.ash.server.session.live;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.ash.protocol.ApiException;
import dev.ash.protocol.ErrorCode;
import dev.ash.protocol.TurnId;
import org.junit.jupiter.api.Test;

class OpenTurnsTest {
    private final OpenTurns turns = new OpenTurns();
    private final TurnId first = TurnId.random();
    private final TurnId second = TurnId.random();
    private final TurnId third = TurnId.random();

    @Test
    void admitsOneClientTurnAtATime() {
        turns.openForClient(first);

        assertThat(turns.openForClient(second)).isFalse();
        assertThat(turns.close(first.value())).contains(first);
        assertThat(turns.openForClient(second)).isTrue();
    }

    @Test
    void opensQueuedPromptsInFifoOrder() {
        turns.openForClient(first);
        turns.enqueue(second);
        turns.enqueue(third);

        assertThat(turns.next()).as("while the first turn is open").isEmpty();
        turns.close(first.value());
        assertThat(turns.openForClient(TurnId.random())).as("ahead of the queue").isFalse();
        assertThat(turns.next()).contains(second);
        assertThat(turns.next()).isEmpty();
        turns.close(second.value());
        assertThat(turns.next()).contains(third);
    }

    @Test
    void limitsQueue() {
        turns.openForClient(first);
        for (int i = 0; i < 100; i++) {
            turns.requireRoom(OpenTurns.MAX_QUEUED);
            turns.enqueue(second);
        }

        assertThatThrownBy(() -> turns.requireRoom(OpenTurns.MAX_QUEUED))
                .isInstanceOfSatisfying(
                        ApiException.class,
                        e -> assertThat(e.code()).isEqualTo(ErrorCode.RATE_LIMITED));
    }

    @Test
    void separatesEngineTurnFromClientTurn() {
        turns.openForClient(first);
        turns.reopen(second);

        assertThat(turns.find(second.value())).contains(second);
        assertThat(turns.close(second.value())).contains(second);
        assertThat(turns.close(second.value())).isEmpty();
        assertThat(turns.find(first.value())).contains(first);
    }

    @Test
    void attributesEventsWithoutTurnIdToLatestTurn() {
        turns.openForClient(first);

        assertThat(turns.find(null)).contains(first);
        assertThat(turns.close((String) null)).contains(first);
        assertThat(turns.find(null)).isEmpty();
    }

    @Test
    void ignoresDoneAfterError() {
        turns.openForClient(first);
        assertThat(turns.closeByError()).contains(first);
        turns.openForClient(second);

        assertThat(turns.close((String) null)).as("the late done of the first turn").isEmpty();
        assertThat(turns.close((String) null)).contains(second);
    }

    @Test
    void endsNextTurnWithItsDoneIfErrorHadNone() {
        turns.openForClient(first);
        turns.closeByError();
        turns.openForClient(second);
        turns.onMessage();

        assertThat(turns.close((String) null)).contains(second);
    }
}

package dev.ash.server.session;

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

    @Test
    void givesClientsOneTurnAtATime() {
        turns.openForClient(first);

        assertThatThrownBy(() -> turns.openForClient(second))
                .isInstanceOfSatisfying(
                        ApiException.class,
                        e -> assertThat(e.code()).isEqualTo(ErrorCode.SESSION_BUSY));
        assertThat(turns.close(first.value())).contains(first);
        turns.openForClient(second);
    }

    @Test
    void keepsATurnOfTheEngineApartFromTheClients() {
        turns.openForClient(first);
        turns.openForEngine(second);

        assertThat(turns.of(second.value())).contains(second);
        assertThat(turns.close(second.value())).contains(second);
        assertThat(turns.close(second.value())).isEmpty();
        assertThat(turns.of(first.value())).contains(first);
    }

    @Test
    void givesUnnamedEventsToTheLatestTurn() {
        turns.openForClient(first);

        assertThat(turns.of(null)).contains(first);
        assertThat(turns.close((String) null)).contains(first);
        assertThat(turns.of(null)).isEmpty();
    }

    @Test
    void swallowsTheDoneThatFollowsAnError() {
        turns.openForClient(first);
        assertThat(turns.closeByError()).contains(first);
        turns.openForClient(second);

        assertThat(turns.close((String) null)).as("the late done of the first turn").isEmpty();
        assertThat(turns.close((String) null)).contains(second);
    }

    @Test
    void endsTheNextTurnByItsDoneWhereAnErrorHadNone() {
        turns.openForClient(first);
        turns.closeByError();
        turns.openForClient(second);
        turns.sawMessage();

        assertThat(turns.close((String) null)).contains(second);
    }
}

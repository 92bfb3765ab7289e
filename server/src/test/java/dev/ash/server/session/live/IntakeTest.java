package dev.ash.server.session.live;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ash.protocol.TurnId;
import dev.ash.protocol.bridge.BridgeEvent;
import dev.ash.protocol.json.RawJson;
import dev.ash.server.event.EventType;
import dev.ash.server.event.LoggedEvent;
import dev.ash.server.event.NewEvent;
import dev.ash.server.session.live.Intake.Decision;
import dev.ash.server.session.store.TurnStore;
import java.io.IOException;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.NullSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Decisions on events of a bridge that do not reply to a command. */
@Timeout(60)
class IntakeTest extends IntakeFixture {
    private static final RawJson PARTIAL =
            RawJson.of("{\"type\":\"stream_event\",\"event\":{\"type\":\"message_start\"}}");

    private NewEvent error(@Nullable TurnId of, String error) {
        var data = RawJson.of("{\"error\":\"%s\"}".formatted(error));
        return NewEvent.of(session, of, EventType.ERROR, data, POSITION);
    }

    @Test
    void appendsMessageToItsTurn() throws IOException {
        var intake = ofAsh();
        turns.openForClient(turn);
        turns.reopen(TurnId.random()); // a later turn of the engine

        var decision = decide(intake, turn, new BridgeEvent.Message(ASSISTANT));

        assertThat(decision)
                .isEqualTo(
                        new Decision.Append(
                                NewEvent.of(
                                        session, turn, EventType.MESSAGE, ASSISTANT, POSITION)));
    }

    @Test
    void appendsMessageWithoutTurnIdToLatestTurn() throws IOException {
        var intake = ofPlain();
        turns.openForClient(turn);

        var decision = decide(intake, null, new BridgeEvent.Message(ASSISTANT));

        assertThat(((Decision.Append) decision).event().turn()).isEqualTo(turn);
    }

    @Test
    void appendsMessageWithoutOpenTurn() throws IOException {
        var decision = decide(ofAsh(), turn, new BridgeEvent.Message(ASSISTANT));

        assertThat(((Decision.Append) decision).event().turn()).isNull();
    }

    @ParameterizedTest
    @ValueSource(strings = {"[]", "1", "null", "\"text\""})
    void appendsMessageThatIsNotAnObject(String json) throws IOException {
        var intake = ofAsh();
        turns.openForClient(turn);
        var data = RawJson.of(json);

        assertThat(decide(intake, turn, new BridgeEvent.Message(data)))
                .isEqualTo(
                        new Decision.Append(
                                NewEvent.of(session, turn, EventType.MESSAGE, data, POSITION)));
    }

    @Test
    void publishesPartialMessageWithoutStoringIt() throws IOException {
        var intake = ofAsh();
        turns.openForClient(turn);

        assertThat(decide(intake, turn, new BridgeEvent.Message(PARTIAL)))
                .isEqualTo(
                        new Decision.Publish(
                                new LoggedEvent(0, turn, EventType.MESSAGE, PARTIAL, 0)));
        assertThat(turns.open()).containsExactly(turn);
    }

    @Test
    void endsTurnOnDone() throws IOException {
        var intake = ofAsh();
        turns.openForClient(turn);

        assertThat(decide(intake, turn, done())).isEqualTo(endedByDone(turn));
        assertThat(turns.open()).isEmpty();
        assertThat(decide(intake, turn, done())).as("a second one").isEqualTo(IGNORED);
    }

    @Test
    void ignoresDoneWithoutTurnId() throws IOException {
        var intake = ofAsh();
        turns.openForClient(turn);

        assertThat(decide(intake, null, done())).isEqualTo(IGNORED);
        assertThat(turns.open()).containsExactly(turn);
    }

    @Test
    void ignoresDoneOfUnknownTurn() throws IOException {
        var intake = ofAsh();
        turns.openForClient(turn);

        assertThat(decide(intake, TurnId.random(), done())).isEqualTo(IGNORED);
        assertThat(turns.open()).containsExactly(turn);
    }

    @Test
    void endsOpenTurnOnDoneOfPlainBridge() throws IOException {
        var intake = ofPlain();
        assertThat(decide(intake, null, done())).as("without a turn").isEqualTo(IGNORED);
        turns.openForClient(turn);

        assertThat(decide(intake, null, done())).isEqualTo(endedByDone(turn));
    }

    @Test
    void endsOpenTurnOnErrorOfPlainBridgeAndIgnoresItsDone() throws IOException {
        var intake = ofPlain();
        turns.openForClient(turn);

        assertThat(decide(intake, null, new BridgeEvent.Failed("why")))
                .isEqualTo(
                        new Decision.EndTurn(
                                turn,
                                TurnStore.Status.ERROR,
                                List.of(error(turn, "why"), NewEvent.done(session, turn))));
        assertThat(turns.open()).isEmpty();
        var next = TurnId.random();
        turns.openForClient(next);
        assertThat(decide(intake, null, done())).as("of the first turn").isEqualTo(IGNORED);
        assertThat(decide(intake, null, done())).isEqualTo(endedByDone(next));
    }

    @Test
    void expectsNoDoneOfErrorAfterMessageOfNextTurn() throws IOException {
        var intake = ofPlain();
        turns.openForClient(turn);
        decide(intake, null, new BridgeEvent.Failed("why"));
        var next = TurnId.random();
        turns.openForClient(next);

        decide(intake, null, new BridgeEvent.Message(ASSISTANT));

        assertThat(decide(intake, null, done())).isEqualTo(endedByDone(next));
    }

    @Test
    void appendsErrorOfPlainBridgeWithoutTurn() throws IOException {
        assertThat(decide(ofPlain(), null, new BridgeEvent.Failed("why")))
                .isEqualTo(new Decision.Append(error(null, "why")));
    }

    @Test
    void keepsTurnOpenAfterErrorUntilDone() throws IOException {
        var intake = ofAsh();
        turns.openForClient(turn);

        assertThat(decide(intake, turn, new BridgeEvent.Failed("why")))
                .isEqualTo(new Decision.Append(error(turn, "why")));
        assertThat(turns.open()).containsExactly(turn);
        assertThat(decide(intake, turn, done())).isEqualTo(endedByDone(turn));
    }

    @Test
    void failsEngineThatHasExited() throws IOException {
        var intake = ofAsh();
        turns.openForClient(turn);

        assertThat(decide(intake, turn, new BridgeEvent.Failed("why", true)))
                .isEqualTo(new Decision.FailEngine(error(turn, "why"), "why"));
        assertThat(decide(intake, null, new BridgeEvent.Failed("why", true)))
                .as("an error without a turn id belongs to the latest turn")
                .isEqualTo(new Decision.FailEngine(error(turn, "why"), "why"));
        assertThat(turns.open()).containsExactly(turn);
    }

    @Test
    void explainsExitOfEngineByLackOfMemory() throws IOException {
        var intake = ofAsh();
        sandbox().pressure = "It ran out of memory";

        assertThat(decide(intake, null, new BridgeEvent.Failed("why", true)))
                .isEqualTo(
                        new Decision.FailEngine(
                                error(null, "why. It ran out of memory"),
                                "why. It ran out of memory"));
        assertThat(decide(intake, null, new BridgeEvent.Failed("why", false)))
                .as("an engine that has not exited")
                .isEqualTo(new Decision.Append(error(null, "why")));
    }

    @Test
    void beginsEngineTurnOnce() throws IOException {
        var intake = ofAsh();
        var started = new BridgeEvent.TurnStarted("task");

        assertThat(decide(intake, turn, started)).isEqualTo(new Decision.BeginTurn(turn));
        assertThat(turns.open()).containsExactly(turn);
        assertThat(decide(intake, turn, started)).isEqualTo(IGNORED);
    }

    @ParameterizedTest
    @NullSource
    @ValueSource(
            strings = {
                "",
                "turn",
                "../../etc/passwd",
                "' OR 1 = 1 --",
                "550E8400-E29B-41D4-A716-446655440000"
            })
    void replacesInvalidIdOfEngineTurn(@Nullable String id) throws IOException {
        var intake = ofAsh();

        var decision = decideNamed(intake, id, new BridgeEvent.TurnStarted("task"));

        var begun = ((Decision.BeginTurn) decision).turn();
        assertThat(begun.value()).isNotEqualTo(id);
        assertThat(turns.open()).containsExactly(begun);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "turn", "../../etc/passwd", "' OR 1 = 1 --"})
    void attributesEventsWithInvalidIdsToNoTurn(String id) throws IOException {
        var intake = ofAsh();
        turns.openForClient(turn);

        var message = decideNamed(intake, id, new BridgeEvent.Message(ASSISTANT));
        assertThat(((Decision.Append) message).event().turn()).isNull();
        assertThat(decideNamed(intake, id, done())).isEqualTo(IGNORED);
        assertThat(decideNamed(intake, id, new BridgeEvent.Failed("why")))
                .isEqualTo(new Decision.Append(error(null, "why")));
        assertThat(turns.open()).containsExactly(turn);
    }

    @Test
    void asksQuestionOfTurnAndWithdrawsIt() throws IOException {
        var intake = ofAsh();
        turns.openForClient(turn);
        var question =
                new BridgeEvent.Approval(
                        "q",
                        BridgeEvent.Approval.Kind.TOOL,
                        "Bash",
                        RawJson.EMPTY_OBJECT,
                        null,
                        null);

        assertThat(decide(intake, turn, question)).isEqualTo(new Decision.Ask(turn, question));
        assertThat(decide(intake, TurnId.random(), question))
                .isEqualTo(new Decision.Ask(null, question));
        assertThat(decide(intake, turn, new BridgeEvent.ApprovalGone("q")))
                .isEqualTo(new Decision.Withdraw("q"));
    }

    @Test
    void ignoresOtherEvents() throws IOException {
        var intake = ofAsh();
        turns.openForClient(turn);

        for (var event :
                List.of(
                        new BridgeEvent.Attached(null, true),
                        new BridgeEvent.Ready(null, null, null),
                        new BridgeEvent.Unknown("later"))) {
            assertThat(decide(intake, turn, event)).isEqualTo(IGNORED);
        }
        assertThat(turns.open()).containsExactly(turn);
    }
}

package dev.ash.server.session.live;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ash.protocol.SessionId;
import dev.ash.protocol.TurnId;
import dev.ash.protocol.bridge.BridgeCommand;
import dev.ash.protocol.bridge.BridgeEvent;
import dev.ash.protocol.bridge.EventFrame;
import dev.ash.protocol.json.RawJson;
import dev.ash.server.event.EventType;
import dev.ash.server.event.LoggedEvent;
import dev.ash.server.event.NewEvent;
import dev.ash.server.event.NewEvent.BridgePlace;
import dev.ash.server.session.live.Intake.Decision;
import dev.ash.server.session.store.TurnStore;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.NullSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The decisions about each event, for a bridge of Ash and for one of the plain protocol. */
@Timeout(60)
class IntakeTest {
    private static final BridgePlace PLACE = new BridgePlace("bridge", 7);
    private static final Decision IGNORED = new Decision.Acknowledge(0);
    private static final RawJson ASSISTANT =
            RawJson.of(
                    """
                    {"type":"assistant","message":{"content":[{"type":"text","text":"hi"}]}}""");
    private static final RawJson PARTIAL =
            RawJson.of("{\"type\":\"stream_event\",\"event\":{\"type\":\"message_start\"}}");

    @TempDir Path folder;
    private final SessionId session = SessionId.random();
    private final TurnId turn = TurnId.random();
    private final OpenTurns turns = new OpenTurns();
    private final LinkedBlockingQueue<String> endedLater = new LinkedBlockingQueue<>();
    private final PlainResume plainResume =
            new PlainResume(Duration.ZERO, Duration.ofMinutes(10), endedLater::add);
    private @Nullable SocketSandbox sandbox;
    private @Nullable PendingReplies replies;

    @AfterEach
    void disconnect() {
        if (sandbox != null) {
            sandbox.close();
        }
    }

    private Intake ofAsh() throws IOException {
        return connect("nonce");
    }

    private Intake ofPlain() throws IOException {
        return connect(null);
    }

    private Intake connect(@Nullable String nonce) throws IOException {
        var connected = SocketSandbox.connect(folder.resolve("bridge"), nonce);
        sandbox = connected;
        var pending = new PendingReplies(connected.bridge(), plainResume);
        replies = pending;
        return new Intake(session, connected, turns, pending, plainResume);
    }

    private SocketSandbox sandbox() {
        return Objects.requireNonNull(sandbox);
    }

    private PendingReplies replies() {
        return Objects.requireNonNull(replies);
    }

    private static Decision decide(Intake intake, @Nullable TurnId of, BridgeEvent event) {
        return decideNamed(intake, of == null ? null : of.value(), event);
    }

    private static Decision decideNamed(Intake intake, @Nullable String id, BridgeEvent event) {
        return intake.decide(new EventFrame(PLACE.n(), id, event), PLACE);
    }

    private BridgeEvent done() {
        return new BridgeEvent.Done(session.value());
    }

    private NewEvent error(@Nullable TurnId of, String error) {
        var data = RawJson.of("{\"error\":\"%s\"}".formatted(error));
        return NewEvent.of(session, of, EventType.ERROR, data, PLACE);
    }

    private Decision endedByDone(TurnId ended) {
        var data = NewEvent.done(session, ended).data();
        return new Decision.EndTurn(
                ended,
                TurnStore.Status.DONE,
                List.of(NewEvent.of(session, ended, EventType.DONE, data, PLACE)));
    }

    private static <T> CompletableFuture<T> start(Callable<T> call) {
        var result = new CompletableFuture<T>();
        Thread.ofVirtual()
                .start(
                        () -> {
                            try {
                                result.complete(call.call());
                            } catch (Exception e) {
                                result.completeExceptionally(e);
                            }
                        });
        return result;
    }

    // Messages

    @Test
    void appendsAMessageToItsTurn() throws IOException {
        var intake = ofAsh();
        turns.openForClient(turn);
        turns.reopen(TurnId.random()); // of the engine, and later

        var decision = decide(intake, turn, new BridgeEvent.Message(ASSISTANT));

        assertThat(decision)
                .isEqualTo(
                        new Decision.Append(
                                NewEvent.of(session, turn, EventType.MESSAGE, ASSISTANT, PLACE)));
    }

    @Test
    void appendsAMessageWithoutATurnIdToTheLatestTurn() throws IOException {
        var intake = ofPlain();
        turns.openForClient(turn);

        var decision = decide(intake, null, new BridgeEvent.Message(ASSISTANT));

        assertThat(((Decision.Append) decision).event().turn()).isEqualTo(turn);
    }

    @Test
    void appendsAMessageOfNoOpenTurn() throws IOException {
        var decision = decide(ofAsh(), turn, new BridgeEvent.Message(ASSISTANT));

        assertThat(((Decision.Append) decision).event().turn()).isNull();
    }

    @ParameterizedTest
    @ValueSource(strings = {"[]", "1", "null", "\"text\""})
    void appendsAMessageThatIsNoObject(String json) throws IOException {
        var intake = ofAsh();
        turns.openForClient(turn);
        var data = RawJson.of(json);

        assertThat(decide(intake, turn, new BridgeEvent.Message(data)))
                .isEqualTo(
                        new Decision.Append(
                                NewEvent.of(session, turn, EventType.MESSAGE, data, PLACE)));
    }

    @Test
    void publishesAPartialMessageWithoutStoringIt() throws IOException {
        var intake = ofAsh();
        turns.openForClient(turn);

        assertThat(decide(intake, turn, new BridgeEvent.Message(PARTIAL)))
                .isEqualTo(
                        new Decision.Publish(
                                new LoggedEvent(0, turn, EventType.MESSAGE, PARTIAL, 0)));
        assertThat(turns.open()).containsExactly(turn);
    }

    // The end of a turn

    @Test
    void endsTheTurnOfADone() throws IOException {
        var intake = ofAsh();
        turns.openForClient(turn);

        assertThat(decide(intake, turn, done())).isEqualTo(endedByDone(turn));
        assertThat(turns.open()).isEmpty();
        assertThat(decide(intake, turn, done())).as("a second one").isEqualTo(IGNORED);
    }

    @Test
    void ignoresADoneWithoutATurnId() throws IOException {
        var intake = ofAsh();
        turns.openForClient(turn);

        assertThat(decide(intake, null, done())).isEqualTo(IGNORED);
        assertThat(turns.open()).containsExactly(turn);
    }

    @Test
    void ignoresADoneOfAnUnknownTurn() throws IOException {
        var intake = ofAsh();
        turns.openForClient(turn);

        assertThat(decide(intake, TurnId.random(), done())).isEqualTo(IGNORED);
        assertThat(turns.open()).containsExactly(turn);
    }

    @Test
    void doneOfAPlainBridgeEndsTheOpenTurn() throws IOException {
        var intake = ofPlain();
        assertThat(decide(intake, null, done())).as("without a turn").isEqualTo(IGNORED);
        turns.openForClient(turn);

        assertThat(decide(intake, null, done())).isEqualTo(endedByDone(turn));
    }

    @Test
    void errorOfAPlainBridgeEndsTheOpenTurnAndItsDoneEndsNone() throws IOException {
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
    void messageOfTheNextTurnMeansThatAnErrorHasNoDone() throws IOException {
        var intake = ofPlain();
        turns.openForClient(turn);
        decide(intake, null, new BridgeEvent.Failed("why"));
        var next = TurnId.random();
        turns.openForClient(next);

        decide(intake, null, new BridgeEvent.Message(ASSISTANT));

        assertThat(decide(intake, null, done())).isEqualTo(endedByDone(next));
    }

    @Test
    void appendsAnErrorOfAPlainBridgeThatHasNoTurn() throws IOException {
        assertThat(decide(ofPlain(), null, new BridgeEvent.Failed("why")))
                .isEqualTo(new Decision.Append(error(null, "why")));
    }

    // Errors of an engine

    @Test
    void errorKeepsTheTurnUntilItsDone() throws IOException {
        var intake = ofAsh();
        turns.openForClient(turn);

        assertThat(decide(intake, turn, new BridgeEvent.Failed("why")))
                .isEqualTo(new Decision.Append(error(turn, "why")));
        assertThat(turns.open()).containsExactly(turn);
        assertThat(decide(intake, turn, done())).isEqualTo(endedByDone(turn));
    }

    @Test
    void failsTheEngineThatHasExited() throws IOException {
        var intake = ofAsh();
        turns.openForClient(turn);

        assertThat(decide(intake, turn, new BridgeEvent.Failed("why", true)))
                .isEqualTo(new Decision.FailEngine(error(turn, "why"), "why"));
        assertThat(decide(intake, null, new BridgeEvent.Failed("why", true)))
                .as("an error without a turn id is of the latest turn")
                .isEqualTo(new Decision.FailEngine(error(turn, "why"), "why"));
        assertThat(turns.open()).containsExactly(turn);
    }

    @Test
    void explainsTheExitOfAnEngineByTheLackOfMemory() throws IOException {
        var intake = ofAsh();
        sandbox().pressure = "It ran out of memory";

        assertThat(decide(intake, null, new BridgeEvent.Failed("why", true)))
                .isEqualTo(
                        new Decision.FailEngine(
                                error(null, "why. It ran out of memory"),
                                "why. It ran out of memory"));
        assertThat(decide(intake, null, new BridgeEvent.Failed("why", false)))
                .as("an engine that lives")
                .isEqualTo(new Decision.Append(error(null, "why")));
    }

    // Turns of the engine

    @Test
    void beginsATurnOfTheEngineOnce() throws IOException {
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
    void namesATurnItselfIfItsIdIsNoUuid(@Nullable String id) throws IOException {
        var intake = ofAsh();

        var decision = decideNamed(intake, id, new BridgeEvent.TurnStarted("task"));

        var begun = ((Decision.BeginTurn) decision).turn();
        assertThat(begun.value()).isNotEqualTo(id);
        assertThat(turns.open()).containsExactly(begun);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "turn", "../../etc/passwd", "' OR 1 = 1 --"})
    void eventsWithOtherIdsBelongToNoTurn(String id) throws IOException {
        var intake = ofAsh();
        turns.openForClient(turn);

        var message = decideNamed(intake, id, new BridgeEvent.Message(ASSISTANT));
        assertThat(((Decision.Append) message).event().turn()).isNull();
        assertThat(decideNamed(intake, id, done())).isEqualTo(IGNORED);
        assertThat(decideNamed(intake, id, new BridgeEvent.Failed("why")))
                .isEqualTo(new Decision.Append(error(null, "why")));
        assertThat(turns.open()).containsExactly(turn);
    }

    // Questions

    @Test
    void asksAQuestionOfItsTurnAndWithdrawsIt() throws IOException {
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

    // Replies to commands

    @Test
    void givesTheResultOfACommandToTheCaller() throws Exception {
        var intake = ofAsh();
        var caller = start(() -> replies().exec("ls", 60_000));
        var exec = (BridgeCommand.Exec) sandbox().received();
        var result = new BridgeEvent.ExecResult(exec.id(), 1, "out", "errors");

        assertThat(decide(intake, null, result)).isEqualTo(new Decision.Acknowledge(9));

        assertThat(caller.get(20, TimeUnit.SECONDS)).isEqualTo(result);
    }

    @Test
    void acknowledgesAResultThatNobodyWaitsFor() throws IOException {
        assertThat(decide(ofAsh(), null, new BridgeEvent.ExecResult("id", 0, "o", "")))
                .isEqualTo(new Decision.Acknowledge(1));
    }

    @Test
    void requestedRestIsGivenToTheCaller() throws Exception {
        var intake = ofAsh();
        var caller = start(() -> replies().rest());
        assertThat(sandbox().received()).isEqualTo(new BridgeCommand.Rest());
        var resting = new BridgeEvent.Resting(true, null, "q");

        assertThat(decide(intake, null, resting)).isEqualTo(new Decision.Rest(resting, false));

        assertThat(caller.get(20, TimeUnit.SECONDS)).isEqualTo(resting);
    }

    @Test
    void restThatNobodyRequestedIsUnrequestedIfTheBridgeIsReady() throws IOException {
        var intake = ofAsh();
        var ready = new BridgeEvent.Resting(true, null, null);
        var busy = new BridgeEvent.Resting(false, "a turn runs", null);

        assertThat(decide(intake, null, ready)).isEqualTo(new Decision.Rest(ready, true));
        assertThat(decide(intake, null, busy)).isEqualTo(new Decision.Rest(busy, false));
    }

    @Test
    void answersOfAResumeEndNoTurn() throws Exception {
        var intake = ofAsh();
        turns.openForClient(turn);
        var caller =
                start(
                        () -> {
                            replies().resume(session);
                            return true;
                        });
        assertThat(sandbox().received()).isEqualTo(new BridgeCommand.Resume(session.value()));

        assertThat(decide(intake, null, new BridgeEvent.Failed("why", true))).isEqualTo(IGNORED);
        assertThat(decide(intake, null, done())).isEqualTo(IGNORED);

        assertThat(caller)
                .failsWithin(Duration.ofSeconds(20))
                .withThrowableThat()
                .withMessageContaining("why");
        assertThat(turns.open()).containsExactly(turn);
    }

    @Test
    void answersOfAPlainResumeEndNoTurn() throws Exception {
        var intake = ofPlain();
        replies().resume(session);

        assertThat(decide(intake, null, new BridgeEvent.Failed("why"))).isEqualTo(IGNORED);
        turns.openForClient(turn);
        assertThat(decide(intake, null, done())).isEqualTo(IGNORED);
        assertThat(decide(intake, null, done())).isEqualTo(endedByDone(turn));
        assertThat(endedLater).isEmpty();
    }

    @Test
    void lateErrorOfAPlainResumeIsHeldBack() throws Exception {
        var intake = ofPlain();
        replies().resume(session);
        turns.openForClient(turn);
        plainResume.awaitBeforeQuery();

        assertThat(decide(intake, null, new BridgeEvent.Failed("why"))).isEqualTo(IGNORED);
        assertThat(turns.open()).containsExactly(turn);
        decide(intake, null, new BridgeEvent.Message(ASSISTANT));
        assertThat(decide(intake, null, done())).isEqualTo(endedByDone(turn));
    }

    // Other events

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

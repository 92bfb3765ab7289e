package dev.ash.server.session.live;

import static org.assertj.core.api.Assertions.assertThat;

import dev.ash.protocol.bridge.BridgeCommand;
import dev.ash.protocol.bridge.BridgeEvent;
import dev.ash.server.session.live.Intake.Decision;
import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Decisions on events that reply to a command. */
@Timeout(60)
class IntakeReplyTest extends IntakeFixture {
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

    @Test
    void passesResultOfCommandToCaller() throws Exception {
        var intake = ofAsh();
        var caller = start(() -> replies().exec("ls", 60_000));
        var exec = (BridgeCommand.Exec) sandbox().received();
        var result = new BridgeEvent.ExecResult(exec.id(), 1, "out", "errors");

        assertThat(decide(intake, null, result)).isEqualTo(new Decision.Acknowledge(9));

        assertThat(caller.get(20, TimeUnit.SECONDS)).isEqualTo(result);
    }

    @Test
    void acknowledgesResultWithoutWaitingCaller() throws IOException {
        assertThat(decide(ofAsh(), null, new BridgeEvent.ExecResult("id", 0, "o", "")))
                .isEqualTo(new Decision.Acknowledge(1));
    }

    @Test
    void passesRequestedRestToCaller() throws Exception {
        var intake = ofAsh();
        var caller = start(() -> replies().rest());
        assertThat(sandbox().received()).isEqualTo(new BridgeCommand.Rest());
        var resting = new BridgeEvent.Resting(true, null, "q");

        assertThat(decide(intake, null, resting))
                .isEqualTo(new Decision.Rest(resting, false, false));

        assertThat(caller.get(20, TimeUnit.SECONDS)).isEqualTo(resting);
    }

    @Test
    void marksRestOfReadyBridgeWithoutCallerAsUnrequested() throws IOException {
        var intake = ofAsh();
        var ready = new BridgeEvent.Resting(true, null, null);
        var busy = new BridgeEvent.Resting(false, "a turn runs", null);

        assertThat(decide(intake, null, ready)).isEqualTo(new Decision.Rest(ready, true, false));
        assertThat(decide(intake, null, busy)).isEqualTo(new Decision.Rest(busy, false, false));
    }

    @Test
    void ignoresReplyToEarlierServer() throws Exception {
        var intake = ofAsh();
        intake.onAttached(2);
        var caller = start(() -> replies().rest());
        assertThat(sandbox().received()).isEqualTo(new BridgeCommand.Rest());
        var earlier = new BridgeEvent.Resting(false, "a turn runs", null);
        var reply = new BridgeEvent.Resting(true, null, "q");

        assertThat(decideAt(1, intake, earlier)).isEqualTo(new Decision.Rest(earlier, false, true));
        assertThat(decideAt(2, intake, reply)).isEqualTo(new Decision.Rest(reply, true, true));
        assertThat(caller).isNotDone();
        assertThat(decideAt(3, intake, reply)).isEqualTo(new Decision.Rest(reply, false, false));

        assertThat(caller.get(20, TimeUnit.SECONDS)).isEqualTo(reply);
    }

    @Test
    void repliesToResumeEndNoTurn() throws Exception {
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
    void repliesToPlainResumeEndNoTurn() throws Exception {
        var intake = ofPlain();
        replies().resume(session);

        assertThat(decide(intake, null, new BridgeEvent.Failed("why"))).isEqualTo(IGNORED);
        turns.openForClient(turn);
        assertThat(decide(intake, null, done())).isEqualTo(IGNORED);
        assertThat(decide(intake, null, done())).isEqualTo(endedByDone(turn));
        assertThat(endedLater).isEmpty();
    }

    @Test
    void defersLateErrorOfPlainResume() throws Exception {
        var intake = ofPlain();
        replies().resume(session);
        turns.openForClient(turn);
        plainResume.awaitBeforeQuery();

        assertThat(decide(intake, null, new BridgeEvent.Failed("why"))).isEqualTo(IGNORED);
        assertThat(turns.open()).containsExactly(turn);
        decide(intake, null, new BridgeEvent.Message(ASSISTANT));
        assertThat(decide(intake, null, done())).isEqualTo(endedByDone(turn));
    }
}

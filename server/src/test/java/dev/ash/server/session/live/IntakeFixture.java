package dev.ash.server.session.live;

import dev.ash.protocol.SessionId;
import dev.ash.protocol.TurnId;
import dev.ash.protocol.bridge.BridgeEvent;
import dev.ash.protocol.bridge.EventFrame;
import dev.ash.protocol.json.RawJson;
import dev.ash.server.event.EventType;
import dev.ash.server.event.NewEvent;
import dev.ash.server.event.NewEvent.BridgePosition;
import dev.ash.server.session.live.Intake.Decision;
import dev.ash.server.session.store.TurnStore;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.LinkedBlockingQueue;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.io.TempDir;

/** Creates the intake of an Ash or plain bridge, whose part the test plays. */
abstract class IntakeFixture {
    static final BridgePosition POSITION = new BridgePosition("bridge", 7);
    static final Decision IGNORED = new Decision.Acknowledge(0);
    static final RawJson ASSISTANT =
            RawJson.of(
                    """
                    {"type":"assistant","message":{"content":[{"type":"text","text":"hi"}]}}""");

    @TempDir Path directory;
    final SessionId session = SessionId.random();
    final TurnId turn = TurnId.random();
    final OpenTurns turns = new OpenTurns();
    final LinkedBlockingQueue<String> endedLater = new LinkedBlockingQueue<>();
    final PlainResume plainResume =
            new PlainResume(Duration.ZERO, Duration.ofMinutes(10), endedLater::add);
    private @Nullable SocketSandbox sandbox;
    private @Nullable PendingReplies replies;

    @AfterEach
    void disconnect() {
        if (sandbox != null) {
            sandbox.close();
        }
    }

    Intake ofAsh() throws IOException {
        return connect("nonce");
    }

    Intake ofPlain() throws IOException {
        return connect(null);
    }

    private Intake connect(@Nullable String nonce) throws IOException {
        var connected = SocketSandbox.connect(directory.resolve("bridge"), nonce);
        sandbox = connected;
        var pending = new PendingReplies(connected.bridge(), plainResume);
        replies = pending;
        return new Intake(session, connected, turns, pending, plainResume);
    }

    SocketSandbox sandbox() {
        return Objects.requireNonNull(sandbox);
    }

    PendingReplies replies() {
        return Objects.requireNonNull(replies);
    }

    static Decision decide(Intake intake, @Nullable TurnId of, BridgeEvent event) {
        return decideNamed(intake, of == null ? null : of.value(), event);
    }

    static Decision decideNamed(Intake intake, @Nullable String id, BridgeEvent event) {
        return intake.decide(new EventFrame(POSITION.n(), id, event), POSITION);
    }

    Decision decideAt(long number, Intake intake, BridgeEvent event) {
        return intake.decide(
                new EventFrame(number, null, event),
                new BridgePosition(POSITION.bridgeId(), number));
    }

    BridgeEvent done() {
        return new BridgeEvent.Done(session.value());
    }

    Decision endedByDone(TurnId ended) {
        var data = NewEvent.done(session, ended).data();
        return new Decision.EndTurn(
                ended,
                TurnStore.Status.DONE,
                List.of(NewEvent.of(session, ended, EventType.DONE, data, POSITION)));
    }
}

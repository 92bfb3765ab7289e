package dev.ash.server.session.live;

import dev.ash.protocol.ApiException;
import dev.ash.protocol.Limits;
import dev.ash.protocol.PermissionMode;
import dev.ash.protocol.SandboxId;
import dev.ash.protocol.SessionId;
import dev.ash.protocol.TenantId;
import dev.ash.protocol.bridge.BridgeCommand;
import dev.ash.protocol.bridge.BridgeEvent;
import dev.ash.protocol.bridge.EventFrame;
import dev.ash.sandbox.Sandbox;
import dev.ash.server.approval.Asker;
import dev.ash.server.event.LoggedEvent;
import dev.ash.server.event.NewEvent.BridgePosition;
import dev.ash.server.memory.MemoryBudgets;
import dev.ash.server.session.live.Intake.Decision;
import dev.ash.server.session.store.SessionRow;
import dev.ash.server.session.store.TurnStore;
import dev.ash.server.store.KillPoint;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/**
 * A session that has a sandbox. One virtual thread reads the events of its bridge and applies them.
 * When the bridge exits or breaks the protocol, open turns end with {@code error} and {@code done}
 * immediately, and no other session is affected. {@link LiveState} has the states and their
 * transitions, {@link LiveTurns} guards them, and {@link SessionCloser} closes the sandbox.
 */
public final class LiveSession implements Asker {
    private static final System.Logger LOG = System.getLogger("ash.session");

    private final SessionId id;
    private final TenantId tenant;
    private final Sandbox sandbox;
    private final SessionCore core;
    private final InFlightEvents inFlight;
    private final TurnLog log;
    private final LiveTurns turns;
    private final SessionCloser closer;
    private final Thread reader;
    private volatile boolean asksForApproval;
    private volatile long lastUsed = System.nanoTime();
    private long lastNumber; // of the bridge's events; confined to the reader

    public LiveSession(SessionRow row, Sandbox sandbox, SessionCore core) {
        this.id = row.id();
        this.tenant = row.tenant();
        setPermissionMode(row.permissionMode());
        this.sandbox = sandbox;
        this.core = core;
        this.inFlight =
                new InFlightEvents(tenant, MemoryBudgets.ofProcess().intake(), this::acknowledge);
        this.log = new TurnLog(core, id, inFlight, why -> closer().onLogFailure(why));
        this.turns = new LiveTurns(id, tenant, sandbox, core, log);
        this.reader = Thread.ofVirtual().name("session-" + id).unstarted(this::read);
        this.closer = new SessionCloser(id, sandbox, core, turns, reader);
    }

    public SessionId id() {
        return id;
    }

    @Override
    public SessionId session() {
        return id;
    }

    public SandboxId sandbox() {
        return sandbox.id();
    }

    public LiveTurns turns() {
        return turns;
    }

    public SessionCloser closer() {
        return closer;
    }

    @Override
    public String bridgeId() {
        return sandbox.launchId();
    }

    public boolean isAlive() {
        return sandbox.isAlive() && reader.isAlive();
    }

    public boolean isBusy() {
        return !turns.isIdle();
    }

    public Duration idleFor() {
        return Duration.ofNanos(System.nanoTime() - lastUsed);
    }

    /** Applies from the next turn on. */
    public void setPermissionMode(String mode) {
        asksForApproval = PermissionMode.find(mode).equals(Optional.of(PermissionMode.ASK));
    }

    /** Whether its engine asks before it uses a tool. */
    public boolean asksForApproval() {
        return asksForApproval;
    }

    /** Whether its sandbox runs and is not about to be closed. */
    public boolean isAwake() {
        return isAlive() && turns.state().keepsSandbox();
    }

    /** Whether it can start a turn now. */
    public boolean isReady() {
        return isAlive() && turns.state().acceptsTurns();
    }

    /** Whether its engine or sandbox has exited. Takes no lock. */
    public boolean hasFailed() {
        return turns.state().isEngineFailed() || !isAlive();
    }

    public void markUsed() {
        lastUsed = System.nanoTime();
    }

    /** Whether the bridge supports only the plain protocol. */
    public boolean isPlain() {
        return sandbox.bridge().isPlain();
    }

    public void send(BridgeCommand command) throws IOException {
        sandbox.bridge().send(command);
    }

    private void acknowledge(BridgeCommand ack) throws IOException {
        if (!isPlain()) {
            send(ack);
        }
    }

    @Override
    public void answer(BridgeCommand.Approve approve) throws IOException {
        markUsed();
        send(approve);
    }

    /**
     * Attaches to the bridge after the last stored event, and starts the reader. {@code open} are
     * the open turns of the log, to which the first events may belong.
     */
    public void start(long stored, List<TurnStore.OpenTurn> open) throws IOException {
        sandbox.bridge().guardGrowth(inFlight);
        if (!isPlain()) {
            attach(stored);
        }
        turns.restore(open);
        reader.start();
    }

    /**
     * Attaches to a bridge that has just been launched, and starts the reader. There are no earlier
     * events, so nothing has to wait for the reply.
     */
    public void startNew() throws IOException {
        sandbox.bridge().guardGrowth(inFlight);
        if (!isPlain()) {
            send(new BridgeCommand.Attach(0));
        }
        reader.start();
    }

    /** Skips the events before the reply, which were sent to an earlier server. */
    private void attach(long stored) throws IOException {
        lastNumber = stored;
        send(new BridgeCommand.Attach(stored));
        var confirmed = new CountDownLatch(1);
        Thread.ofVirtual().start(() -> disconnectUnless(confirmed));
        try {
            var bridge = sandbox.bridge();
            for (var frame = bridge.next(); frame != null; frame = bridge.next()) {
                if (frame.event() instanceof BridgeEvent.Attached attached) {
                    turns.onAttached(attached.last());
                    return;
                }
            }
        } finally {
            confirmed.countDown();
        }
        throw new IOException("the bridge did not reply to attach");
    }

    private void disconnectUnless(CountDownLatch confirmed) {
        try {
            if (!confirmed.await(Limits.READY_TIMEOUT.toMillis(), TimeUnit.MILLISECONDS)) {
                sandbox.bridge().close();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** See {@link LiveTurns#open}. */
    public Optional<LoggedEvent> openTurn(NewTurn turn) throws AsleepException {
        markUsed();
        return turns.open(turn);
    }

    public void resumeEngine() {
        turns.change(LiveState::engineResumed);
        markUsed();
        turns.startNext();
    }

    public BridgeEvent.ExecResult exec(String command, long timeoutMs) throws AsleepException {
        if (!turns.tryChange(LiveState::commandStarted)) {
            throw new AsleepException();
        }
        try {
            return turns.replies().exec(command, timeoutMs);
        } finally {
            turns.change(LiveState::commandFinished);
            markUsed();
        }
    }

    private void read() {
        try {
            var bridge = sandbox.bridge();
            for (var frame = bridge.next(); frame != null; frame = bridge.next()) {
                accept(frame);
            }
            closer.onSandboxLost(sandbox::exitReason);
        } catch (IOException e) {
            // A killed bridge causes a connection error, a faulty one a malformed line.
            var why = "The bridge of this session sent " + e.getMessage();
            closer.onSandboxLost(() -> sandbox.isAlive() ? why : sandbox.exitReason());
        } catch (InterruptedException e) {
            closer.onSandboxLost(() -> "The server is shutting down");
        } catch (ApiException e) {
            closer.onSandboxLost(e::message);
        } catch (RuntimeException | Error e) { // open turns must end after any failure
            LOG.log(System.Logger.Level.ERROR, "session " + id, e);
            closer.onSandboxLost(
                    () -> "The server failed to handle an event; its log has the details");
        } finally {
            inFlight.close();
        }
    }

    /** Handles one event; blocks while too many events of this session are not yet stored. */
    private void accept(EventFrame frame) throws InterruptedException {
        if (frame.event() instanceof BridgeEvent.Attached) {
            return; // the reply of a new bridge, which is not one of its numbered events
        }
        long number = frame.n() > 0 ? frame.n() : lastNumber + 1;
        if (number <= lastNumber) {
            return; // already stored
        }
        lastNumber = number;
        KillPoint.EVENT_READ.reached();
        inFlight.acquire(frame.event());
        var position = new BridgePosition(bridgeId(), number);
        switch (turns.accept(frame, position)) {
            case Decision.Publish _, Decision.Append _, Decision.EndTurn _ -> markUsed();
            case Decision.Ask(var turn, var question) -> {
                markUsed();
                var stored = log.acknowledgement(position, question.input().length(), true);
                core.approvals()
                        .ask(
                                this,
                                tenant,
                                id,
                                turn,
                                question,
                                position,
                                stored,
                                log::onStoreFailure);
            }
            case Decision.Withdraw(var question) -> {
                var stored = log.acknowledgement(position, 0, true);
                core.approvals().abandon(id, position, question, stored, log::onStoreFailure);
            }
            case Decision.Rest(var resting, var isUnrequested, var isEarlier) -> {
                // Do not acknowledge it: until the turn is marked, the next server needs it.
                inFlight.release();
                if (isUnrequested) {
                    closer.onUnrequestedRest(resting, isEarlier);
                }
            }
            case Decision.Acknowledge _, Decision.FailEngine _, Decision.BeginTurn _ -> {}
        }
    }
}

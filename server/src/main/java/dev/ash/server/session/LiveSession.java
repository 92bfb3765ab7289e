package dev.ash.server.session;

import dev.ash.protocol.ApiException;
import dev.ash.protocol.PermissionMode;
import dev.ash.protocol.SandboxId;
import dev.ash.protocol.SessionId;
import dev.ash.protocol.SessionStatus;
import dev.ash.protocol.TenantId;
import dev.ash.protocol.bridge.BridgeCommand;
import dev.ash.protocol.bridge.BridgeEvent;
import dev.ash.sandbox.Sandbox;
import dev.ash.server.approval.Asker;
import dev.ash.server.event.LoggedEvent;
import dev.ash.server.event.NewEvent;
import dev.ash.server.memory.MemoryBudgets;
import dev.ash.server.store.KillPoint;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A session that has a sandbox: one virtual thread reads what its bridge says. When the bridge is
 * gone, or says what no bridge may say, open turns end with {@code error} and {@code done} at once;
 * nothing of this reaches another session.
 */
final class LiveSession implements Asker {
    private static final System.Logger LOG = System.getLogger("ash.session");

    private final SessionId id;
    private final TenantId tenant;
    private volatile boolean asks;
    private final Sandbox sandbox;
    private final SessionCore core;
    private final TurnLog log;
    private final OpenTurns turns = new OpenTurns();
    private final PlainResume plainResume = new PlainResume(this::endTurn);
    private final PendingAnswers answers = new PendingAnswers(plainResume);
    private final EarlierTurns earlier;
    private final LineRoom room;
    private final Intake intake;
    private final PromptQueue queue;
    private final Ending ending;
    private final Thread reader;
    private volatile boolean endedOnPurpose;
    private volatile @Nullable ApiException unlogged;
    private volatile boolean broken;
    private volatile long lastUsed = System.nanoTime();

    // Guarded by this: no turn can be opened while the sandbox may be about to end, or after it.
    private boolean leaving;
    private int holders;
    private boolean gone;

    LiveSession(SessionRow row, Sandbox sandbox, SessionCore core) {
        this.id = row.id();
        this.tenant = row.tenant();
        permissionMode(row.permissionMode());
        this.sandbox = sandbox;
        this.core = core;
        this.log = new TurnLog(core, id);
        this.ending = new Ending(core, id);
        this.earlier = new EarlierTurns(this, turns, log, core.turns());
        this.room = new LineRoom(tenant, MemoryBudgets.ofProcess().intake());
        this.intake = new Intake(this, core, turns, answers, plainResume, room);
        this.queue = new PromptQueue(this, core, turns);
        this.reader = Thread.ofVirtual().name("session-" + id).unstarted(this::read);
    }

    SessionId id() {
        return id;
    }

    @Override
    public SessionId session() {
        return id;
    }

    TenantId tenant() {
        return tenant;
    }

    SandboxId sandbox() {
        return sandbox.id();
    }

    @Override
    public String bridgeId() {
        return sandbox.launchId();
    }

    boolean isAlive() {
        return sandbox.alive() && reader.isAlive();
    }

    boolean isBusy() {
        return !turns.isEmpty();
    }

    Duration idleFor() {
        return Duration.ofNanos(System.nanoTime() - lastUsed);
    }

    /** From the next turn on its engine asks, or does not. */
    void permissionMode(String mode) {
        asks = PermissionMode.find(mode).equals(Optional.of(PermissionMode.ASK));
    }

    /** Whether its engine asks before it uses a tool. */
    boolean asks() {
        return asks;
    }

    /** Whether its sandbox is there, and stays. */
    synchronized boolean isAwake() {
        return isAlive() && !leaving && !gone;
    }

    /** Whether it can start a turn now. */
    boolean isReady() {
        return isAwake() && !broken;
    }

    /** Takes no lock, since the writer's thread may ask. */
    boolean hasFailed() {
        return broken || !isAlive();
    }

    /** What the sandbox lacked lately, for people. */
    Optional<String> pressure() {
        return sandbox.pressure();
    }

    void used() {
        lastUsed = System.nanoTime();
    }

    /** Whether the bridge speaks more than the plain protocol. */
    boolean speaksOurs() {
        return sandbox.bridge().ready().nonce() != null;
    }

    void send(BridgeCommand command) throws IOException {
        sandbox.bridge().send(command);
    }

    @Override
    public void answer(BridgeCommand.Approve approve) throws IOException {
        used();
        send(approve);
    }

    /**
     * Tells the bridge from where on to send, and then reads. What it says before it has heard that
     * was meant for an earlier server. {@code open} are the turns that the log knows to be open:
     * what the bridge says first may be about them.
     */
    void start(long after, List<TurnStore.Open> open) throws IOException {
        sandbox.bridge().room(room);
        if (speaksOurs()) {
            intake.beginAfter(after);
            Attachment.make(sandbox.bridge(), after);
        }
        know(open);
        reader.start();
    }

    /**
     * Takes these turns for open, before anything can be said about them or be begun after them.
     */
    void know(List<TurnStore.Open> open) {
        earlier.know(open);
    }

    /** Goes on with the turns it was told of. */
    void takeUp(List<TurnStore.Open> open) throws IOException {
        earlier.goOn(open);
        if (!turns.open().isEmpty()) {
            core.runners().busy(sandbox());
        }
        beginNext();
    }

    /**
     * Takes the one turn and commits its prompt, which is returned and then {@link #run}; or stores
     * the prompt for later, if it may wait. Held against {@link #lost}, so that a prompt is never
     * logged after the end of its own turn.
     */
    synchronized Optional<LoggedEvent> openTurn(NewTurn turn) throws AsleepException {
        if (broken || leaving || gone) {
            throw new AsleepException();
        }
        used();
        if (turns.openForClient(turn.id())) {
            return Optional.of(begin(turn));
        }
        if (turn.maxQueued() == 0) {
            throw OpenTurns.busy();
        }
        turns.requireRoom(turn.maxQueued());
        log.queued(turn);
        KillPoint.PROMPT_QUEUED.reached();
        turns.enqueue(turn.id());
        beginNext();
        return Optional.empty();
    }

    private LoggedEvent begin(NewTurn turn) {
        try {
            var prompt = log.begun(turn);
            KillPoint.PROMPT_COMMITTED.reached();
            return prompt;
        } catch (RuntimeException e) {
            turns.close(turn.id());
            throw e;
        }
    }

    /** Hands a turn that was opened to the engine. */
    void run(BridgeCommand.Query query) {
        plainResume.awaitBeforeQuery();
        try {
            send(query);
            KillPoint.PROMPT_SENT.reached();
            core.runners().busy(sandbox());
        } catch (IOException e) {
            // The bridge is gone; the thread that reads it ends the turn with error and done.
        }
    }

    /**
     * Starts the oldest queued prompt. Synchronized with {@link #lost}, as {@link #openTurn} is.
     */
    private synchronized void beginNext() {
        if (!broken && !gone) {
            queue.beginNext();
        }
    }

    private void endTurn(String error) {
        intake.endTurn(error);
    }

    void turnOver() {
        used();
        beginNext();
        if (turns.open().isEmpty()) {
            core.runners().idle(sandbox());
        }
    }

    /** Its turn ends with an error, and so did the session, though the bridge stays. */
    void engineGone() {
        broken = true;
    }

    /** Someone wants to go on with it. */
    void mended() {
        broken = false;
        used();
        beginNext();
    }

    /** Returns whether there was a turn to interrupt. */
    boolean interrupt() {
        var open = turns.open();
        try {
            for (var turn : open) {
                send(new BridgeCommand.Interrupt(speaksOurs() ? turn.value() : null));
            }
        } catch (IOException e) {
            return false; // the turn is ending by itself
        }
        return !open.isEmpty();
    }

    BridgeEvent.ExecResult exec(String command, long timeoutMs) throws AsleepException {
        hold();
        try {
            return answers.exec(this, command, timeoutMs);
        } finally {
            letGo();
        }
    }

    private synchronized void hold() throws AsleepException {
        if (leaving || gone) {
            throw new AsleepException();
        }
        holders++;
    }

    private synchronized void letGo() {
        holders--;
        used();
    }

    /** Asks the bridge to take up the earlier conversation. */
    void resumeConversation() {
        answers.resume(this, id);
    }

    private void read() {
        try {
            for (var frame = sandbox.bridge().next();
                    frame != null;
                    frame = sandbox.bridge().next()) {
                intake.take(frame);
            }
            lost(sandbox::death);
        } catch (IOException e) {
            // A bridge that was killed shows as a broken connection; one that lies, as a bad line.
            var why = String.valueOf(e.getMessage());
            lost(
                    () ->
                            sandbox.alive()
                                    ? "The bridge of this session sent " + why
                                    : sandbox.death());
        } catch (InterruptedException e) {
            lost(() -> "The server is shutting down");
        } catch (ApiException e) {
            lost(e::sentence);
        } catch (RuntimeException | Error e) { // whatever it is, open turns must end
            LOG.log(System.Logger.Level.ERROR, "session " + id, e);
            lost(() -> "The server failed to handle an event; its log has the details");
        } finally {
            room.close();
        }
    }

    /**
     * What cannot be logged is not shown; the session ends here, and says so. Told on the writer's
     * thread, so nothing that the bridge said later is logged either.
     */
    void unlogged(ApiException why) {
        if (unlogged == null) {
            unlogged = why;
            LOG.log(System.Logger.Level.ERROR, "cannot log events of session " + id, why);
            Thread.ofVirtual()
                    .start(
                            () -> {
                                endedOnPurpose = true;
                                ending.owe(SessionStatus.ERROR, null, why.sentence(), List.of());
                                closeForGood();
                                sandbox.close();
                                answers.abandon(why.sentence());
                                ending.pay();
                            });
        }
    }

    /** Fails if an earlier event of this bridge is missing in the log. */
    void requireLogged() {
        var why = unlogged;
        if (why != null) {
            throw why;
        }
    }

    /** Returns once the log has the failure of the engine, or of the sandbox, if there was one. */
    void awaitFailure() {
        if (!isAlive()) {
            awaitEnd();
            settle();
        } else if (broken) {
            core.events().flush(id);
        }
    }

    /** Logs what the log was not told of the end of this session, or fails as before. */
    void settle() {
        ending.settle();
    }

    private synchronized void closeForGood() {
        core.egress().close(sandbox());
        gone = true;
        turns.clear();
    }

    private void lost(Supplier<String> reason) {
        if (endedOnPurpose) {
            return;
        }
        var why = reason.get();
        LOG.log(System.Logger.Level.WARNING, "session {0}: {1}", id, why);
        sandbox.close();
        var after = ending.afterLoss();
        finish(after.status(), after.pausedBy(), why, List.of());
    }

    /** Returns once a bridge that is gone has been noted as such. */
    void awaitEnd() {
        try {
            reader.join(Duration.ofSeconds(30));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /**
     * Ends the sandbox if nothing is lost by it: no turn runs, or one that only waits for an
     * answer, which is then asked for again. Returns why not, or null.
     */
    @Nullable String rest() {
        if (!beginToLeave()) {
            return "a command runs in it, or it is ending already";
        }
        var resting =
                speaksOurs()
                        ? answers.rest(this)
                        : new BridgeEvent.Resting(turns.isEmpty(), "a turn is running", null);
        boolean aside = resting.laidAside() != null;
        // A turn that was begun may not have reached the bridge, for which nothing runs then.
        boolean forgetful = resting.ready() && !aside && !turns.isEmpty();
        if ((!resting.ready() && !aside) || forgetful) {
            stay();
            return forgetful ? "a turn is about to run" : String.valueOf(resting.why());
        }
        try {
            core.events().flush(id); // a bridge that is gone cannot say it again
        } catch (ApiException e) {
            stay();
            return e.sentence();
        }
        KillPoint.RESTED.reached();
        fallAsleep(resting);
        return null;
    }

    private synchronized boolean beginToLeave() {
        if (leaving || gone || holders > 0) {
            return false;
        }
        leaving = true;
        return true;
    }

    private synchronized void stay() {
        leaving = false;
    }

    /** An earlier server asked it to rest, and was killed before it could note that it does. */
    void restedUnasked(BridgeEvent.Resting resting) {
        if (resting.laidAside() != null && beginToLeave()) {
            Thread.ofVirtual().start(() -> fallAsleep(resting));
        }
    }

    private void fallAsleep(BridgeEvent.Resting resting) {
        var question = resting.laidAside();
        if (question != null) {
            log.laidAside(turns.open(), bridgeId(), question);
            KillPoint.LAID_ASIDE.reached();
        }
        endedOnPurpose = true;
        Farewell.of(this, reader, core.events());
        sandbox.close();
        awaitEnd();
        closeForGood();
        answers.abandon("The session went to sleep");
        if (question != null) {
            core.approvals().asleep(id);
        }
    }

    /** Ends the sandbox because someone wants it ended, and puts the session into this state. */
    void end(
            SessionStatus status,
            SessionRow.@Nullable PausedBy by,
            String why,
            List<NewEvent> lifecycle) {
        endedOnPurpose = true;
        if (status != SessionStatus.ENDED) {
            Farewell.of(this, reader, core.events());
        }
        sandbox.close();
        awaitEnd(); // what it had read is queued before the end of the turn is
        finish(status, by, why, lifecycle);
    }

    private void finish(
            SessionStatus status,
            SessionRow.@Nullable PausedBy by,
            String why,
            List<NewEvent> lifecycle) {
        ending.owe(status, by, why, lifecycle);
        closeForGood();
        answers.abandon(why);
        ending.pay();
    }
}

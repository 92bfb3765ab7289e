package dev.ash.server.session;

import dev.ash.protocol.ApiException;
import dev.ash.protocol.ErrorCode;
import dev.ash.protocol.SessionId;
import dev.ash.protocol.SessionStatus;
import dev.ash.protocol.TurnId;
import dev.ash.protocol.bridge.BridgeCommand;
import dev.ash.protocol.bridge.BridgeEvent;
import dev.ash.protocol.bridge.EventFrame;
import dev.ash.protocol.json.JsonWriter;
import dev.ash.protocol.json.RawJson;
import dev.ash.sandbox.Sandbox;
import dev.ash.server.event.EngineMessage;
import dev.ash.server.event.EventType;
import dev.ash.server.event.LoggedEvent;
import dev.ash.server.event.NewEvent;
import dev.ash.server.event.NewEvent.BridgePlace;
import dev.ash.server.event.SessionEvents;
import dev.ash.server.runner.RunnerCoordinator;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.Semaphore;
import org.jspecify.annotations.Nullable;

/**
 * A session that has a sandbox: one virtual thread reads what its bridge says and puts it into the
 * log. When the bridge is gone, or says what no bridge may say, open turns end with {@code error}
 * and {@code done} at once; nothing of this reaches another session.
 */
final class LiveSession {
    private static final System.Logger LOG = System.getLogger("ash.session");
    private static final int MAX_IN_FLIGHT = 256;
    private static final Duration TO_LEAVE = Duration.ofSeconds(3);

    private final SessionId id;
    private final Sandbox sandbox;
    private final SessionEvents events;
    private final SessionStore sessions;
    private final TurnStore turnRows;
    private final RunnerCoordinator runners;
    private final String bridgeId = UUID.randomUUID().toString();
    private final OpenTurns turns = new OpenTurns();
    private final PendingAnswers answers = new PendingAnswers();
    // One flood cannot fill the writer's queue for the others.
    private final Semaphore inFlight = new Semaphore(MAX_IN_FLIGHT);
    private final Thread reader;
    private long count;
    private boolean gone; // guarded by this: set once, after which no turn can be opened
    private volatile boolean endedOnPurpose;

    LiveSession(
            SessionId id,
            Sandbox sandbox,
            SessionEvents events,
            SessionStore sessions,
            TurnStore turnRows,
            RunnerCoordinator runners) {
        this.id = id;
        this.sandbox = sandbox;
        this.events = events;
        this.sessions = sessions;
        this.turnRows = turnRows;
        this.runners = runners;
        this.reader = Thread.ofVirtual().name("session-" + id).unstarted(this::read);
    }

    void start() {
        reader.start();
    }

    boolean isAlive() {
        return sandbox.alive() && reader.isAlive();
    }

    boolean isBusy() {
        return !turns.isEmpty();
    }

    /** Whether the bridge speaks more than the plain protocol. */
    boolean speaksOurs() {
        return sandbox.bridge().ready().nonce() != null;
    }

    void send(BridgeCommand command) throws IOException {
        sandbox.bridge().send(command);
    }

    /** Hands a turn that was opened to the engine. */
    void run(BridgeCommand.Query query) {
        try {
            send(query);
            runners.busy(sandbox.id());
        } catch (IOException e) {
            // The bridge is gone; the thread that reads it ends the turn with error and done.
        }
    }

    /**
     * Takes the one turn and commits its prompt; the caller then sends the query. Held against
     * {@link #lost}, so that a prompt is never logged after the end of its own turn.
     */
    synchronized LoggedEvent openTurn(TurnId turn, RawJson content) {
        if (gone) {
            throw new ApiException(
                    ErrorCode.SESSION_NOT_ACTIVE,
                    "Session is error: its sandbox is gone. POST …/resume starts a new one");
        }
        turns.openForClient(turn);
        try {
            return events.appendNow(
                            id,
                            List.of(NewEvent.prompt(id, turn, content)),
                            (transaction, now) -> {
                                turnRows.started(
                                        transaction, id, turn, TurnStore.Origin.CLIENT, now);
                                sessions.touch(transaction, id, now);
                            })
                    .getFirst();
        } catch (RuntimeException e) {
            turns.close(turn);
            throw e;
        }
    }

    BridgeEvent.ExecResult exec(String command, long timeoutMs) {
        return answers.exec(this, command, timeoutMs);
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
                inFlight.acquire();
                handle(frame);
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
        } catch (RuntimeException e) {
            LOG.log(System.Logger.Level.ERROR, "session " + id, e);
            lost(() -> "The server failed to handle an event; its log has the details");
        }
    }

    private void handle(EventFrame frame) {
        count++;
        var place = new BridgePlace(bridgeId, frame.n() > 0 ? frame.n() : count);
        switch (frame.event()) {
            case BridgeEvent.Message(var data) -> message(frame, data, place);
            case BridgeEvent.Failed(var error, _) -> failed(frame, error, place);
            case BridgeEvent.Done _ -> done(frame, place);
            case BridgeEvent.TurnStarted _ -> engineTurn(frame);
            case BridgeEvent.ExecResult result -> {
                answers.exec(result);
                inFlight.release();
            }
            case BridgeEvent.Attached _,
                    BridgeEvent.Approval _,
                    BridgeEvent.ApprovalGone _,
                    BridgeEvent.Resting _ ->
                    inFlight.release();
            case BridgeEvent.Ready _, BridgeEvent.Unknown _ -> inFlight.release();
        }
    }

    private void message(EventFrame frame, RawJson data, BridgePlace place) {
        turns.sawMessage();
        var turn = turns.of(frame.turnId()).orElse(null);
        if (EngineMessage.read(data).map(EngineMessage::isHint).orElse(false)) {
            var hint = new LoggedEvent(0, turn, EventType.MESSAGE, data, 0);
            events.hint(id, hint, inFlight::release);
        } else {
            append(List.of(NewEvent.of(id, turn, EventType.MESSAGE, data, place)), (_, _) -> {});
        }
    }

    private void failed(EventFrame frame, String error, BridgePlace place) {
        if (answers.failed(error)) {
            inFlight.release();
            return;
        }
        boolean plain = frame.turnId() == null && !speaksOurs();
        var turn = plain ? turns.closeByError() : turns.of(frame.turnId());
        var data = JsonWriter.object().put("error", error).end();
        var event = NewEvent.of(id, turn.orElse(null), EventType.ERROR, data, place);
        if (plain && turn.isPresent()) {
            append(
                    List.of(event, NewEvent.done(id, turn.get())),
                    (transaction, now) -> turnRows.ended(transaction, turn.get(), "error", now));
        } else {
            append(List.of(event), (_, _) -> {});
        }
    }

    private void done(EventFrame frame, BridgePlace place) {
        if (answers.done()) {
            inFlight.release();
            return;
        }
        // Closed before it is committed: who has seen the done may send the next prompt at once.
        var turn = turns.close(frame.turnId());
        if (turn.isEmpty()) {
            inFlight.release();
            return;
        }
        if (turns.isEmpty()) {
            runners.idle(sandbox.id());
        }
        var data = NewEvent.done(id, turn.get()).data();
        append(
                List.of(NewEvent.of(id, turn.get(), EventType.DONE, data, place)),
                (transaction, now) -> turnRows.ended(transaction, turn.get(), "done", now));
    }

    private void engineTurn(EventFrame frame) {
        TurnId turn;
        try {
            turn = frame.turnId() == null ? TurnId.random() : new TurnId(frame.turnId());
        } catch (ApiException e) {
            turn = TurnId.random(); // the bridge is not trusted with ids
        }
        var begun = turn;
        if (turns.openForEngine(begun)) {
            append(
                    List.of(),
                    (transaction, now) ->
                            turnRows.started(transaction, id, begun, TurnStore.Origin.ENGINE, now));
        } else {
            inFlight.release();
        }
    }

    private void append(List<NewEvent> added, SessionEvents.Also also) {
        events.append(
                id,
                added,
                also,
                inFlight::release,
                why -> {
                    inFlight.release();
                    unlogged(why);
                });
    }

    /** What cannot be logged is not shown; the session ends here, and says so. */
    private void unlogged(ApiException why) {
        LOG.log(System.Logger.Level.ERROR, "cannot log events of session " + id, why);
        Thread.ofVirtual()
                .start(
                        () -> {
                            endedOnPurpose = true;
                            sandbox.close();
                            for (var turn : closeForGood()) {
                                show(NewEvent.error(id, turn, why.sentence()));
                                show(NewEvent.done(id, turn));
                            }
                        });
    }

    private void show(NewEvent event) {
        var hint = new LoggedEvent(0, event.turn(), event.type(), event.data(), 0);
        events.hint(id, hint, () -> {});
    }

    private synchronized List<TurnId> closeForGood() {
        gone = true;
        return turns.closeAll();
    }

    private interface Reason {
        String text();
    }

    private void lost(Reason reason) {
        if (endedOnPurpose) {
            return;
        }
        var why = reason.text();
        LOG.log(System.Logger.Level.WARNING, "session {0}: {1}", id, why);
        sandbox.close();
        finish(SessionStatus.ERROR, null, why, List.of());
    }

    /** Ends the sandbox because someone wants it ended, and puts the session into this state. */
    void end(
            SessionStatus status,
            SessionRow.@Nullable PausedBy by,
            String why,
            List<NewEvent> lifecycle) {
        endedOnPurpose = true;
        try {
            if (status != SessionStatus.ENDED) {
                leaveInOrder();
            }
            sandbox.close();
            reader.join(); // what it had read is queued before the end of the turn is
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            sandbox.close();
        }
        finish(status, by, why, lifecycle);
    }

    /** An engine writes its transcript a moment after it answers; a resume will want it whole. */
    private void leaveInOrder() throws InterruptedException {
        try {
            send(new BridgeCommand.Shutdown());
            reader.join(TO_LEAVE);
        } catch (IOException e) {
            // It has left already.
        }
    }

    private void finish(
            SessionStatus status,
            SessionRow.@Nullable PausedBy by,
            String why,
            List<NewEvent> lifecycle) {
        var open = closeForGood();
        answers.abandon(why);
        var last = new ArrayList<NewEvent>();
        for (var turn : open) {
            last.add(NewEvent.error(id, turn, why));
            last.add(NewEvent.done(id, turn));
        }
        last.addAll(lifecycle);
        try {
            events.appendNow(
                    id,
                    last,
                    (transaction, now) -> {
                        open.forEach(turn -> turnRows.ended(transaction, turn, "error", now));
                        var error = status == SessionStatus.ERROR ? why : null;
                        sessions.status(transaction, id, status, by, error, now);
                    });
        } catch (ApiException e) {
            LOG.log(System.Logger.Level.ERROR, "cannot log the end of session " + id, e);
        }
    }
}

package dev.ash.bridge.codex;

import dev.ash.bridge.engine.EngineException;
import dev.ash.bridge.engine.EngineProcess;
import dev.ash.bridge.engine.EngineSetup;
import dev.ash.bridge.engine.EngineSink;
import dev.ash.bridge.engine.LineProcess;
import dev.ash.bridge.engine.Turn;
import dev.ash.bridge.engine.UnansweredQuestions;
import dev.ash.bridge.rpc.RpcException;
import dev.ash.bridge.rpc.RpcMessage;
import dev.ash.bridge.rpc.RpcPeer;
import dev.ash.protocol.PermissionMode;
import dev.ash.protocol.bridge.BridgeCommand.Approve;
import dev.ash.protocol.json.JsonObject;
import dev.ash.protocol.json.MalformedJsonException;
import dev.ash.protocol.json.RawJson;
import java.io.IOException;
import java.util.HashMap;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A running CLI process, its thread and its current turn. */
final class CodexProcess extends EngineProcess<CodexTurn> implements RpcPeer.Handler {
    private final RpcPeer peer;
    private final CodexLaunch launch;
    private final EngineSetup setup;
    private final CodexQuestions questions;

    private final EarlyUpdates earlyUpdates = new EarlyUpdates(this::sendMessage);
    private volatile @Nullable OpenThread thread;

    private CodexProcess(
            LineProcess process,
            CodexLaunch launch,
            UnansweredQuestions unanswered,
            EngineSink sink) {
        super("Codex", process, sink);
        this.launch = launch;
        this.setup = launch.setup();
        this.peer = new RpcPeer(process, RpcPeer.Dialect.BARE, this);
        this.questions = new CodexQuestions(launch.rules(), sink, unanswered, peer, this::steer);
    }

    static CodexProcess start(
            List<String> command,
            CodexLaunch launch,
            UnansweredQuestions unanswered,
            EngineSink sink)
            throws EngineException {
        var setup = launch.setup();
        var environment = new HashMap<>(setup.environment());
        environment.put("CODEX_HOME", CodexHome.of(setup).directory().toString());
        try {
            var child = LineProcess.spawn(command, setup.directories().workspace(), environment);
            var codex = new CodexProcess(child, launch, unanswered, sink);
            child.listen(codex.peer);
            return codex;
        } catch (IOException e) {
            throw new EngineException("Cannot start Codex: " + e.getMessage());
        }
    }

    /** Opens the thread and waits until it is ready. */
    void open(OpenThreadRequest request) throws EngineException {
        try {
            peer.call("initialize", CodexLaunch.initialize(), START_TIMEOUT);
            peer.notify("initialized");
            var params = request.addTo(launch.thread(setup.config().model()));
            var answer = peer.call(request.method(), params, START_TIMEOUT);
            var open = OpenThread.of(answer, peer, this::sendMessage);
            setup.conversation().recordOpened(setup.sessionId(), CodexEngine.NAME, open.id());
            thread = open;
        } catch (RpcException e) {
            throw openFailure(request, e);
        } catch (MalformedJsonException e) {
            var message = "Unexpected response of Codex: " + e.getMessage();
            kill(message);
            throw new EngineException(message);
        }
    }

    private EngineException openFailure(OpenThreadRequest request, RpcException e) {
        if (e.kind() == RpcException.Kind.DISCONNECTED) {
            awaitExit(STOP_TIMEOUT); // to include its stderr in the message
            var message = exitReason();
            return new EngineException(
                    message == null ? "Codex did not start: " + e.message() : message);
        }
        kill("Codex failed to open the conversation");
        if (request.threadId() != null && e.message().contains("no rollout found")) {
            setup.conversation().clear();
            return new EngineException(
                    "The earlier conversation is no longer in this sandbox. The next message begins"
                            + " a new one");
        }
        return new EngineException("Codex could not open the conversation: " + e.message());
    }

    @Override
    protected boolean isReady() {
        return thread != null;
    }

    @Override
    public boolean prompt(Turn turn) throws EngineException {
        var open = thread;
        if (open == null) {
            throw new EngineException("Codex is not open");
        }
        var requested = setup.model(turn.options());
        var params = launch.turn(open.id());
        params.put("model", requested == null ? open.model() : requested);
        CodexInput.add(params, turn.prompt(), turn.options());
        var codexTurn = new CodexTurn(turn);
        if (!begin(codexTurn)) {
            return false;
        }
        try {
            var answer = peer.call("turn/start", params.end(), START_TIMEOUT);
            var begun = JsonObject.parse(answer).object("turn");
            setTurnId(codexTurn, begun.isEmpty() ? "" : begun.get().string("id").orElse(""));
        } catch (RpcException e) {
            if (e.kind() != RpcException.Kind.DISCONNECTED) {
                markEnded(codexTurn);
                throw new EngineException("Codex rejected the message: " + e.message());
            }
        } catch (MalformedJsonException e) {
            kill("Unexpected response of Codex: " + e.getMessage());
        }
        if (turn.isInterrupted()) {
            interrupt(turn);
        }
        awaitEnd(codexTurn);
        return true;
    }

    private void setTurnId(CodexTurn current, String id) {
        state.enter();
        try {
            boolean first = current.id() == null;
            current.setId(id);
            if (first && current.isInterrupting()) {
                requestStop(current);
            }
        } finally {
            state.leave();
        }
    }

    @Override
    protected void requestStop(CodexTurn turn) {
        var open = thread;
        var id = turn.id();
        if (open != null && id != null) {
            open.calls().interrupt(id);
        }
    }

    @Override
    protected void sendDecision(Approve decision) {
        questions.answer(decision);
    }

    /** Adds a message to the current turn, and sends it to clients. */
    void steer(Turn turn, RawJson prompt) throws EngineException {
        var open = thread;
        var current = running();
        if (open == null || current == null || current.turn() != turn) {
            throw new EngineException("The turn is not running");
        }
        var response = open.calls().steerAndWait(current.id(), CodexInput.input(prompt));
        sink.message(turn, open.messages().steered(prompt, response));
    }

    private void steer(String turnId, String text) {
        var open = thread;
        if (open != null) {
            open.calls().steer(turnId, text);
        }
    }

    @Override
    protected void requireNoBackgroundWork() throws EngineException {
        var open = thread;
        if (open != null) {
            open.calls().requireNoCommands();
        }
    }

    @Override
    public boolean onRequest(RpcMessage message) throws MalformedJsonException {
        var open = thread;
        var id = message.id();
        var current = running();
        return open != null
                && id != null
                && questions.request(
                        id, message, current == null ? null : current.turn(), open.translator());
    }

    private void sendMessage(RawJson message) {
        var current = running();
        sink.message(current == null ? null : current.turn(), message);
    }

    @Override
    public void onNotification(RpcMessage message) throws MalformedJsonException {
        var open = thread;
        var threadId = message.params().string("threadId");
        if (open == null || (threadId.isPresent() && !threadId.get().equals(open.id()))) {
            return;
        }
        var params = message.params();
        var translator = open.translator();
        var item = params.object("item").orElse(params);
        var turnId = params.string("turnId").orElse("");
        switch (message.method()) {
            case "turn/started" -> onTurnStarted(open, params, message.line());
            case "turn/completed" -> onTurnCompleted(open, params, message.line());
            case "item/started" -> translator.started(item, turnId, message.line());
            case "item/completed" -> translator.completed(item, turnId, message.line());
            case "item/agentMessage/delta" -> translator.textDelta(params, message.line());
            case "item/reasoning/summaryTextDelta", "item/reasoning/textDelta" ->
                    translator.thinkingDelta(params, message.line());
            case "thread/tokenUsage/updated" -> addUsage(translator, params, turnId);
            case "serverRequest/resolved" ->
                    questions.resolved(params.raw("requestId").orElse(RawJson.NULL));
            case "error" -> onError(open, params, message.line());
            default -> {
                if (!IgnoredNotifications.contains(message)) {
                    earlyUpdates.add(
                            running(), open.messages().update(message.method(), message.line()));
                }
            }
        }
    }

    private void addUsage(ItemTranslator translator, JsonObject params, String turnId)
            throws MalformedJsonException {
        var current = running();
        var usage = params.object("tokenUsage").orElse(params);
        if (current != null && turnId.equals(current.id())) {
            translator.addUsage(usage.object("last").orElse(usage));
        }
    }

    private void onTurnStarted(OpenThread open, JsonObject params, RawJson line)
            throws MalformedJsonException {
        var id = params.object("turn").orElse(params).string("id").orElse("");
        CodexTurn current;
        boolean startedByEngine;
        state.enter();
        try {
            var previous = running();
            startedByEngine = previous == null;
            current = previous == null ? new CodexTurn(Turn.startedByEngine()) : previous;
            setRunning(current);
        } finally {
            state.leave();
        }
        setTurnId(current, id);
        if (startedByEngine) {
            sink.turnStarted(current.turn());
        }
        open.translator().begin(current.turn().options().includePartialMessages());
        boolean asks = launch.rules().permissions() == PermissionMode.ASK;
        sendMessage(open.messages().init(setup.directories().workspace().toString(), asks, line));
        current.announce();
        earlyUpdates.release();
    }

    /**
     * Stops a turn whose calls the API rejects with a client error, such as a missing key or an
     * exhausted budget: the CLI would retry in vain.
     */
    private void onError(OpenThread open, JsonObject params, RawJson line)
            throws MalformedJsonException {
        var error = params.object("error").orElse(params);
        long status = CodexFailure.status(error).orElse(0);
        var current = running();
        if (current == null || !params.isTrue("willRetry")) {
            return; // the end of the turn reports the same
        }
        if (status < 400 || status >= 500 || current.id() == null) {
            sendMessage(open.messages().update("error", line));
            return;
        }
        var message = CodexFailure.of(error);
        state.enter();
        try {
            if (current.recordApiError(message)) {
                stop(current);
            }
        } finally {
            state.leave();
        }
    }

    private void onTurnCompleted(OpenThread open, JsonObject params, RawJson line)
            throws MalformedJsonException {
        var turn = params.object("turn").orElse(params);
        var current = running();
        if (current == null) {
            return;
        }
        setup.conversation().recordCompletedTurn();
        questions.withdrawAll();
        long millis = turn.number("durationMs").orElse(0);
        if (!turn.string("status").orElse("").equals("interrupted")) {
            var error = turn.object("error");
            var failure = error.isPresent() ? CodexFailure.of(error.get()) : null;
            end(open, current, open.translator().end(false, millis), failure, line);
            return;
        }
        // Terminate commands that continue, in another thread: this one reads the response.
        Thread.ofVirtual()
                .start(
                        () -> {
                            open.calls().terminateCommands();
                            open.translator().interrupted(line);
                            var last = open.translator().end(current.apiError() == null, millis);
                            end(open, current, last, current.apiError(), line);
                        });
    }

    private void end(
            OpenThread open,
            CodexTurn current,
            TurnSummary end,
            @Nullable String failure,
            RawJson line) {
        sink.message(current.turn(), open.messages().result(end, failure, line));
        end(current, null);
    }

    @Override
    protected String describeExit(LineProcess.Exit exit) {
        return CodexFailure.of(exit, isReady());
    }

    @Override
    protected void dropQuestions(boolean mayAskAgain) {
        if (mayAskAgain) {
            questions.moveToUnanswered();
        } else {
            questions.withdrawAll();
        }
    }
}

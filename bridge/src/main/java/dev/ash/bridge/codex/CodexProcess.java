package dev.ash.bridge.codex;

import dev.ash.bridge.engine.EngineException;
import dev.ash.bridge.engine.EngineProcess;
import dev.ash.bridge.engine.EngineSetup;
import dev.ash.bridge.engine.EngineSink;
import dev.ash.bridge.engine.LineProcess;
import dev.ash.bridge.engine.Turn;
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

/** One running CLI, its one thread and the turn it is in. */
final class CodexProcess extends EngineProcess<CodexTurn> implements RpcPeer.Handler {
    private final RpcPeer peer;
    private final CodexLaunch launch;
    private final EngineSetup setup;
    private final CodexQuestions questions;

    private final EarlyUpdates early = new EarlyUpdates(this::say);
    private volatile @Nullable OpenThread thread;

    private CodexProcess(
            LineProcess process, CodexLaunch launch, LostQuestions lost, EngineSink sink) {
        super("Codex", process, sink);
        this.launch = launch;
        this.setup = launch.setup();
        this.peer = new RpcPeer(process, RpcPeer.Dialect.BARE, this);
        this.questions = new CodexQuestions(launch.rules(), sink, lost, peer, this::steer);
    }

    static CodexProcess start(
            List<String> command, CodexLaunch launch, LostQuestions lost, EngineSink sink)
            throws EngineException {
        var setup = launch.setup();
        var environment = new HashMap<>(setup.environment());
        environment.put("CODEX_HOME", CodexHome.of(setup).folder().toString());
        try {
            var child = LineProcess.spawn(command, setup.folders().workspace(), environment);
            var codex = new CodexProcess(child, launch, lost, sink);
            child.listen(codex.peer);
            return codex;
        } catch (IOException e) {
            throw new EngineException("Codex could not be started: " + e.getMessage());
        }
    }

    /** Makes it ready on its conversation, and returns then. */
    void open(ThreadRequest request) throws EngineException {
        try {
            peer.call("initialize", CodexLaunch.initialize(), START);
            peer.notify("initialized");
            var params = request.addTo(launch.thread(setup.config().model()));
            var answer = peer.call(request.method(), params, START);
            var open = OpenThread.of(answer, peer, this::say);
            setup.conversation().opened(setup.sessionId(), CodexEngine.NAME, open.id());
            thread = open;
        } catch (RpcException e) {
            throw notOpened(request, e);
        } catch (MalformedJsonException e) {
            var odd = "Codex answered what was not expected: " + e.getMessage();
            kill(odd);
            throw new EngineException(odd);
        }
    }

    private EngineException notOpened(ThreadRequest request, RpcException e) {
        if (e.kind() == RpcException.Kind.DISCONNECTED) {
            awaitEnded(STOP); // so that what it said on stderr is known
            var sentence = whyEnded();
            return new EngineException(
                    sentence == null ? "Codex did not start: " + e.message() : sentence);
        }
        kill("Codex was not opened");
        if (request.threadId() != null && e.message().contains("no rollout found")) {
            setup.conversation().forget();
            return new EngineException(
                    "The earlier conversation is no longer in this sandbox. The next message begins"
                            + " a new one");
        }
        return new EngineException("Codex could not open the conversation: " + e.message());
    }

    @Override
    protected boolean opened() {
        return thread != null;
    }

    @Override
    public boolean prompt(Turn turn) throws EngineException {
        var open = thread;
        if (open == null) {
            throw new EngineException("Codex is not open");
        }
        var wanted = setup.model(turn.options());
        var params = launch.turn(open.id());
        params.put("model", wanted == null ? open.model() : wanted);
        CodexInput.add(params, turn.prompt(), turn.options());
        var mine = new CodexTurn(turn);
        if (!begin(mine)) {
            return false;
        }
        try {
            var answer = peer.call("turn/start", params.end(), START);
            var begun = JsonObject.parse(answer).object("turn");
            named(mine, begun.isEmpty() ? "" : begun.get().string("id").orElse(""));
        } catch (RpcException e) {
            if (e.kind() != RpcException.Kind.DISCONNECTED) {
                over(mine);
                throw new EngineException("Codex did not take the message: " + e.message());
            }
        } catch (MalformedJsonException e) {
            kill("Codex answered what was not expected: " + e.getMessage());
        }
        if (turn.interrupted()) {
            interrupt(turn);
        }
        awaitOver(mine);
        return true;
    }

    private void named(CodexTurn place, String id) {
        state.enter();
        try {
            boolean first = place.id() == null;
            place.named(id);
            if (first && place.interrupting()) {
                tellToStop(place);
            }
        } finally {
            state.leave();
        }
    }

    @Override
    protected void tellToStop(CodexTurn turn) {
        var open = thread;
        var id = turn.id();
        if (open != null && id != null) {
            open.calls().interrupt(id);
        }
    }

    @Override
    protected void tell(Approve decision) {
        questions.answer(decision);
    }

    private void steer(String turnId, String text) {
        var open = thread;
        if (open != null) {
            open.calls().steer(turnId, text);
        }
    }

    @Override
    protected void requireNothingInBackground() throws EngineException {
        var open = thread;
        if (open != null) {
            open.calls().requireNoCommands();
        }
    }

    @Override
    public boolean request(RpcMessage message) throws MalformedJsonException {
        var open = thread;
        var id = message.id();
        var place = running();
        return open != null
                && id != null
                && questions.request(
                        id, message, place == null ? null : place.turn(), open.items());
    }

    private void say(RawJson message) {
        var place = running();
        sink.message(place == null ? null : place.turn(), message);
    }

    @Override
    public void notification(RpcMessage message) throws MalformedJsonException {
        var open = thread;
        var threadId = message.params().string("threadId");
        if (open == null || (threadId.isPresent() && !threadId.get().equals(open.id()))) {
            return;
        }
        var params = message.params();
        var items = open.items();
        var item = params.object("item").orElse(params);
        var turnId = params.string("turnId").orElse("");
        switch (message.method()) {
            case "turn/started" -> started(open, params, message.line());
            case "turn/completed" -> completed(open, params, message.line());
            case "item/started" -> items.started(item, turnId, message.line());
            case "item/completed" -> items.completed(item, turnId, message.line());
            case "item/agentMessage/delta" -> items.textDelta(params, message.line());
            case "item/reasoning/summaryTextDelta", "item/reasoning/textDelta" ->
                    items.thinkingDelta(params, message.line());
            case "thread/tokenUsage/updated" -> used(items, params, turnId);
            case "serverRequest/resolved" ->
                    questions.resolved(params.raw("requestId").orElse(RawJson.NULL));
            case "error" -> error(open, params, message.line());
            case "mcpServer/startupStatus/updated" -> server(open, message);
            default -> {
                if (!Notices.isQuiet(message.method())) {
                    early.add(running(), open.messages().update(message.method(), message.line()));
                }
            }
        }
    }

    /** Whether an MCP server starts is news only if it does not. */
    private void server(OpenThread open, RpcMessage message) throws MalformedJsonException {
        if (message.params().string("status").orElse("").equals("failed")) {
            early.add(running(), open.messages().update(message.method(), message.line()));
        }
    }

    private void used(Translation items, JsonObject params, String turnId)
            throws MalformedJsonException {
        var place = running();
        var usage = params.object("tokenUsage").orElse(params);
        if (place != null && turnId.equals(place.id())) {
            items.used(usage.object("last").orElse(usage));
        }
    }

    private void started(OpenThread open, JsonObject params, RawJson line)
            throws MalformedJsonException {
        var id = params.object("turn").orElse(params).string("id").orElse("");
        CodexTurn place;
        boolean own;
        state.enter();
        try {
            var present = running();
            own = present == null;
            place = present == null ? new CodexTurn(Turn.own()) : present;
            run(place);
        } finally {
            state.leave();
        }
        named(place, id);
        if (own) {
            sink.turnStarted(place.turn());
        }
        open.items().begin(place.turn().options().includePartialMessages());
        boolean asks = launch.rules().permissions() == PermissionMode.ASK;
        say(open.messages().init(setup.folders().workspace().toString(), asks, line));
        place.announce();
        early.announced();
    }

    /**
     * The CLI tries again where that is of no use: a call that the API refuses it will refuse once
     * more, for lack of a key or of a budget.
     */
    private void error(OpenThread open, JsonObject params, RawJson line)
            throws MalformedJsonException {
        var error = params.object("error").orElse(params);
        long status = CodexFailure.status(error).orElse(0);
        var place = running();
        if (place == null || !params.isTrue("willRetry")) {
            return; // the end of the turn says the same
        }
        if (status < 400 || status >= 500 || place.id() == null) {
            say(open.messages().update("error", line));
            return;
        }
        var sentence = CodexFailure.of(error);
        state.enter();
        try {
            if (place.refused(sentence)) {
                stop(place);
            }
        } finally {
            state.leave();
        }
    }

    private void completed(OpenThread open, JsonObject params, RawJson line)
            throws MalformedJsonException {
        var turn = params.object("turn").orElse(params);
        var place = running();
        if (place == null) {
            return;
        }
        setup.conversation().answeredOnce();
        questions.withdrawAll();
        boolean interrupted = turn.string("status").orElse("").equals("interrupted");
        long millis = turn.number("durationMs").orElse(0);
        var error = turn.object("error");
        var failure = error.isPresent() ? CodexFailure.of(error.get()) : null;
        if (!interrupted) {
            end(open, place, open.items().end(false, millis), failure, line);
            return;
        }
        // Its commands live on; not here, because this thread reads the answer.
        Thread.ofVirtual()
                .start(
                        () -> {
                            open.calls().endCommands();
                            open.items().interrupted(line);
                            var last = open.items().end(place.refusal() == null, millis);
                            end(open, place, last, place.refusal(), line);
                        });
    }

    private void end(
            OpenThread open, CodexTurn place, TurnEnd end, @Nullable String failure, RawJson line) {
        sink.message(place.turn(), open.messages().result(end, failure, line));
        end(place, null);
    }

    @Override
    protected String meaning(LineProcess.Exit exit) {
        return CodexFailure.of(exit, opened());
    }

    @Override
    protected void dropQuestions(boolean mayAskAgain) {
        if (mayAskAgain) {
            questions.loseAll();
        } else {
            questions.withdrawAll();
        }
    }
}

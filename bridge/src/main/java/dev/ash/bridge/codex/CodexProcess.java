package dev.ash.bridge.codex;

import dev.ash.bridge.engine.EngineException;
import dev.ash.bridge.engine.EngineSetup;
import dev.ash.bridge.engine.EngineSink;
import dev.ash.bridge.engine.Failure;
import dev.ash.bridge.engine.LineProcess;
import dev.ash.bridge.engine.Monitor;
import dev.ash.bridge.engine.Permissions;
import dev.ash.bridge.engine.Turn;
import dev.ash.bridge.rpc.RpcException;
import dev.ash.bridge.rpc.RpcMessage;
import dev.ash.bridge.rpc.RpcPeer;
import dev.ash.protocol.bridge.BridgeCommand.Approve;
import dev.ash.protocol.json.JsonObject;
import dev.ash.protocol.json.JsonWriter;
import dev.ash.protocol.json.MalformedJsonException;
import dev.ash.protocol.json.RawJson;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * One running CLI, its one thread and the turn it is in. The monitor guards the state; it is never
 * held while reporting to the sink, which may block.
 */
final class CodexProcess implements RpcPeer.Handler {
    private static final Duration START = Duration.ofSeconds(60);
    private static final Duration STOP = Duration.ofSeconds(5);
    private static final Duration FINISH = Duration.ofSeconds(2);
    private static final Duration REST = Duration.ofSeconds(10);

    private static final int MAX_EARLY = 100;

    private final LineProcess process;
    private final RpcPeer peer;
    private final CodexLaunch launch;
    private final EngineSetup setup;
    private final EngineSink sink;
    private final CodexQuestions questions;

    /** What was said before a turn was announced; for the thread that reads. */
    private final List<RawJson> early = new ArrayList<>();

    private final Monitor state = new Monitor();
    private @Nullable CodexTurn running;
    private @Nullable String killedBecause;
    private volatile @Nullable OpenThread thread;
    private volatile @Nullable String ended;
    private volatile boolean finishing;

    private CodexProcess(
            LineProcess process, CodexLaunch launch, LostQuestions lost, EngineSink sink) {
        this.process = process;
        this.launch = launch;
        this.setup = launch.setup();
        this.sink = sink;
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
            var params = launch.thread(setup.config().model());
            params.put("threadId", request.threadId()).put("lastTurnId", request.lastTurnId());
            if (request.threadId() != null) {
                params.put("excludeTurns", true);
            }
            var open = OpenThread.of(peer.call(request.method(), params.end(), START), this::say);
            setup.conversation().opened(setup.sessionId(), CodexEngine.NAME, open.id());
            thread = open;
        } catch (RpcException e) {
            throw notOpened(request, e);
        } catch (MalformedJsonException e) {
            process.kill();
            throw new EngineException("Codex answered what was not expected: " + e.getMessage());
        }
    }

    private EngineException notOpened(ThreadRequest request, RpcException e) {
        if (e.kind() == RpcException.Kind.GONE) {
            state.await(STOP, () -> ended != null); // so that what it said on stderr is known
            var sentence = ended;
            return new EngineException(
                    sentence == null ? "Codex did not start: " + e.sentence() : sentence);
        }
        kill("Codex was not opened");
        if (request.threadId() != null && e.sentence().contains("no rollout found")) {
            setup.conversation().forget();
            return new EngineException(
                    "The earlier conversation is no longer in this sandbox. The next message begins"
                            + " a new one");
        }
        return new EngineException("Codex could not open the conversation: " + e.sentence());
    }

    boolean alive() {
        return process.alive() && ended == null;
    }

    /** False if the process had died before, so that the turn never began and can go elsewhere. */
    boolean prompt(Turn turn) throws EngineException {
        var open = thread;
        if (open == null) {
            throw new EngineException("Codex is not open");
        }
        var options = turn.options();
        var wanted = options.model() != null ? options.model() : setup.config().model();
        var params = launch.turn(open.id());
        params.put("model", wanted == null ? open.model() : wanted);
        CodexInput.add(params, turn.prompt(), options);
        var mine = new CodexTurn(turn);
        if (!begin(mine)) {
            return false;
        }
        try {
            var answer = peer.call("turn/start", params.end(), START);
            var begun = JsonObject.parse(answer).object("turn");
            named(mine, begun.isEmpty() ? "" : begun.get().string("id").orElse(""));
        } catch (RpcException e) {
            if (e.kind() != RpcException.Kind.GONE) {
                over(mine);
                throw new EngineException("Codex did not take the message: " + e.sentence());
            }
        } catch (MalformedJsonException e) {
            kill("Codex answered what was not expected: " + e.getMessage());
        }
        if (turn.interrupted()) {
            interrupt(turn);
        }
        state.await(mine::over);
        return true;
    }

    private boolean begin(CodexTurn mine) {
        state.enter();
        try {
            state.await(() -> running == null || ended != null);
            if (ended != null) {
                return false;
            }
            running = mine;
            return true;
        } finally {
            state.leave();
        }
    }

    private void named(CodexTurn place, String id) {
        boolean interrupted;
        state.enter();
        try {
            boolean first = place.id() == null;
            place.named(id);
            interrupted = first && place.interrupting();
        } finally {
            state.leave();
        }
        if (interrupted) {
            tellToStop(id);
        }
    }

    void interrupt(Turn turn) {
        state.enter();
        try {
            var target = running;
            if (target != null && target.beginInterrupt(turn)) {
                stop(target);
            }
        } finally {
            state.leave();
        }
    }

    /** On threads of their own, because a CLI that hangs may not even read what it is told. */
    private void stop(CodexTurn target) {
        Thread.ofVirtual().start(() -> killUnlessOver(target));
        var id = target.id();
        if (id != null) {
            tellToStop(id);
        }
    }

    private void tellToStop(String turnId) {
        var params = onThread().put("turnId", turnId).end();
        Thread.ofVirtual().start(() -> attempt("turn/interrupt", params));
    }

    private void killUnlessOver(CodexTurn target) {
        if (!state.await(STOP, target::over)) {
            kill(
                    "Codex did not stop within "
                            + STOP.toSeconds()
                            + " seconds of the interrupt and was killed."
                            + " The next message continues the conversation");
        }
    }

    private void kill(String because) {
        state.enter();
        try {
            killedBecause = because;
        } finally {
            state.leave();
        }
        process.kill();
    }

    /** On a thread of its own, because a CLI that is stuck may not read what it is told. */
    void answer(Approve decision) {
        Thread.ofVirtual().start(() -> questions.answer(decision));
    }

    private void steer(String turnId, String text) {
        var params = onThread().put("expectedTurnId", turnId).name("input").open('[');
        var line = params.value(CodexInput.text(text)).close(']').end();
        Thread.ofVirtual().start(() -> attempt("turn/steer", line));
    }

    /** For what need not succeed, as when the turn is over meanwhile. */
    private void attempt(String method, RawJson params) {
        try {
            peer.call(method, params, STOP);
        } catch (RpcException e) {
            System.err.println("bridge: codex refused " + method + ": " + e.sentence());
        }
    }

    private JsonWriter onThread() {
        var open = thread;
        return JsonWriter.object().put("threadId", open == null ? "" : open.id());
    }

    /** Ends it in order, with all that it holds written; the exception says why not now. */
    void rest() throws EngineException {
        if (state.ask(() -> running != null)) {
            throw new EngineException("The engine is in a turn that it began by itself");
        }
        try {
            var list = peer.call("thread/backgroundTerminals/list", onThread().end(), REST);
            var commands = JsonObject.parse(list).raw("data");
            if (commands.isPresent() && !JsonObject.elements(commands.get()).isEmpty()) {
                throw new EngineException("The engine has a command running in the background");
            }
        } catch (RpcException | MalformedJsonException e) {
            throw new EngineException("Codex did not say what it runs: " + e.getMessage());
        }
        finishing = true;
        process.finish(REST);
    }

    /** Idle, it leaves by itself; with a turn running it is killed. */
    void finish() {
        finishing = true;
        process.finish(state.ask(() -> running == null) ? FINISH : Duration.ZERO);
    }

    @Override
    public boolean request(RpcMessage message) throws MalformedJsonException {
        var open = thread;
        var id = message.id();
        var place = current();
        return open != null
                && id != null
                && questions.request(
                        id, message, place == null ? null : place.turn(), open.items());
    }

    private @Nullable CodexTurn current() {
        state.enter();
        try {
            return running;
        } finally {
            state.leave();
        }
    }

    private void say(RawJson message) {
        var place = current();
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
                    update(open.messages().update(message.method(), message.line()));
                }
            }
        }
    }

    /** A turn says first what it is, though the CLI may warn before. */
    private void update(RawJson message) {
        var place = current();
        if (place != null && place.announced()) {
            say(message);
        } else if (early.size() < MAX_EARLY) {
            early.add(message);
        }
    }

    /** Whether an MCP server starts is news only if it does not. */
    private void server(OpenThread open, RpcMessage message) throws MalformedJsonException {
        if (message.params().string("status").orElse("").equals("failed")) {
            update(open.messages().update(message.method(), message.line()));
        }
    }

    private void used(Translation items, JsonObject params, String turnId)
            throws MalformedJsonException {
        var place = current();
        var usage = params.object("tokenUsage").orElse(params);
        if (place != null && turnId.equals(place.id())) {
            items.used(usage.object("last").orElse(usage));
        }
    }

    private void started(OpenThread open, JsonObject params, RawJson line)
            throws MalformedJsonException {
        var id = params.object("turn").orElse(params).string("id").orElse("");
        CodexTurn place;
        boolean own = false;
        state.enter();
        try {
            if (running == null) {
                running = new CodexTurn(Turn.own());
                own = true;
            }
            place = running;
        } finally {
            state.leave();
        }
        named(place, id);
        if (own) {
            sink.turnStarted(place.turn());
        }
        open.items().begin(place.turn().options().includePartialMessages());
        boolean asks = launch.rules().permissions() == Permissions.ASK;
        say(open.messages().init(setup.folders().workspace().toString(), asks, line));
        place.announce();
        early.forEach(this::say);
        early.clear();
    }

    /**
     * The CLI tries again where that is of no use: a call that the API refuses it will refuse once
     * more, for lack of a key or of a budget.
     */
    private void error(OpenThread open, JsonObject params, RawJson line)
            throws MalformedJsonException {
        var error = params.object("error").orElse(params);
        long status = CodexFailure.status(error).orElse(0);
        var place = current();
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
        var place = current();
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
                            attempt("thread/backgroundTerminals/clean", onThread().end());
                            open.items().interrupted(line);
                            var last = open.items().end(place.refusal() == null, millis);
                            end(open, place, last, place.refusal(), line);
                        });
    }

    private void end(
            OpenThread open, CodexTurn place, TurnEnd end, @Nullable String failure, RawJson line) {
        sink.message(place.turn(), open.messages().result(end, failure, line));
        sink.turnEnded(place.turn(), null);
        over(place);
    }

    private void over(CodexTurn place) {
        state.enter();
        try {
            place.end();
            running = running == place ? null : running;
            state.changed();
        } finally {
            state.leave();
        }
    }

    @Override
    public void ended(LineProcess.Exit exit) {
        Failure failure;
        CodexTurn place;
        state.enter();
        try {
            boolean opened = thread != null;
            failure =
                    killedBecause == null
                            ? new Failure(CodexFailure.of(exit, opened), opened && !finishing)
                            : new Failure(killedBecause, false);
            ended = failure.sentence();
            place = running;
            state.changed();
        } finally {
            state.leave();
        }
        if (failure.engineGone()) {
            questions.loseAll();
        } else {
            questions.withdrawAll();
        }
        if (place != null) {
            sink.turnEnded(place.turn(), failure);
            over(place);
        }
    }
}

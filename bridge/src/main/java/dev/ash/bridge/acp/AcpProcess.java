package dev.ash.bridge.acp;

import dev.ash.bridge.engine.EngineException;
import dev.ash.bridge.engine.EngineProcess;
import dev.ash.bridge.engine.EngineSetup;
import dev.ash.bridge.engine.EngineSink;
import dev.ash.bridge.engine.LineProcess;
import dev.ash.bridge.engine.ProcessLaunch;
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
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A running agent, its conversation and its current turn. Updates outside of a turn are ignored:
 * the agent repeats earlier ones while it opens a conversation.
 */
final class AcpProcess extends EngineProcess<AcpTurn> implements RpcPeer.Handler {
    /** Agents store their state during the turn, and some do not exit at the end of stdin. */
    private static final Duration EXIT_TIMEOUT = Duration.ofSeconds(1);

    private final AcpContext context;
    private final EngineSetup setup;
    private final RpcPeer peer;
    private final AcpQuestions questions;
    private final ToolNames names;
    private final RepeatedUpdates repeated = new RepeatedUpdates();
    private volatile @Nullable OpenAgent open;
    private volatile @Nullable Thread cancelling;
    private AcpContextUsage usage = AcpContextUsage.UNKNOWN;
    private boolean prompted;

    private AcpProcess(LineProcess process, AcpContext context, EngineSink sink) {
        super(context.profile().product(), process, sink);
        this.context = context;
        this.setup = context.setup();
        this.peer = new RpcPeer(process, RpcPeer.Dialect.VERSIONED, this);
        this.questions = new AcpQuestions(context.rules(), sink, context.unanswered(), peer);
        this.names = context.toolNames();
    }

    static AcpProcess start(ProcessLaunch launch, AcpContext context, EngineSink sink)
            throws EngineException {
        try {
            var workspace = context.setup().directories().workspace();
            var child =
                    LineProcess.spawnInSession(launch.command(), workspace, launch.environment());
            var started = new AcpProcess(child, context, sink);
            child.listen(started.peer);
            return started;
        } catch (IOException e) {
            throw new EngineException(
                    "Cannot start " + context.profile().product() + ": " + e.getMessage());
        }
    }

    /** Opens the conversation and waits until it is ready. */
    void open() throws EngineException {
        try {
            var opened = OpenAgent.open(peer, context, START_TIMEOUT);
            if (opened.conversation().isRepeated()) {
                repeated.awaitEnd();
            }
            open = opened;
        } catch (RpcException e) {
            throw openFailure(e);
        } catch (MalformedJsonException e) {
            throw failed("Unexpected response of " + product() + ": " + e.getMessage());
        } catch (EngineException e) {
            throw failed(e.message());
        }
    }

    private EngineException failed(String message) {
        kill(message);
        return new EngineException(message);
    }

    private EngineException openFailure(RpcException e) {
        if (e.kind() != RpcException.Kind.DISCONNECTED) {
            return failed(product() + " could not open the conversation: " + e.message());
        }
        awaitExit(STOP_TIMEOUT); // to include its stderr in the message
        var reason = exitReason();
        return new EngineException(
                reason == null ? product() + " did not start: " + e.message() : reason);
    }

    private String product() {
        return context.profile().product();
    }

    /** Returns whether a turn with this model can run in this process; null for the default. */
    boolean canServe(@Nullable String model) {
        var current = open;
        return Objects.equals(model, context.model())
                || !context.isModelFixed()
                || (model != null && current != null && current.conversation().offersModel(model));
    }

    @Override
    protected Duration exitTimeout(Duration limit) {
        return limit.compareTo(EXIT_TIMEOUT) < 0 ? limit : EXIT_TIMEOUT;
    }

    @Override
    protected boolean isReady() {
        return open != null;
    }

    @Override
    public boolean prompt(Turn turn) throws EngineException {
        var current = open;
        if (current == null) {
            throw new EngineException(product() + " is not open");
        }
        AcpPrompt.requireSupported(turn.options(), context.engine());
        var prefix = context.instructions().pending(current.sessionId());
        var blocks = AcpPrompt.blocks(turn.prompt(), prefix, current.agent());
        current.settings().selectModel(setup.model(turn.options()));
        current.settings().selectEffort(turn.options().effort());
        var acpTurn = new AcpTurn(turn, current, translator(turn, current));
        if (!begin(acpTurn)) {
            return requireEarlierTurn();
        }
        prompted = true;
        awaitCancel();
        announce(acpTurn);
        write(acpTurn, blocks);
        awaitEnd(acpTurn);
        return true;
    }

    private AcpTranslator translator(Turn turn, OpenAgent current) {
        return new AcpTranslator(
                new AcpMessages(current.sessionId(), current.settings().model()),
                names,
                usage,
                turn.options().includePartialMessages(),
                message -> sink.message(turn, message));
    }

    /** Another process would probably exit too if this one did so before its first turn. */
    private boolean requireEarlierTurn() throws EngineException {
        if (!prompted) {
            throw new EngineException(
                    Objects.requireNonNullElse(exitReason(), product() + " has exited"));
        }
        return false;
    }

    /** A cancel that is written late would stop the next turn. */
    private void awaitCancel() {
        var writing = cancelling;
        try {
            if (writing != null) {
                writing.join();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void announce(AcpTurn turn) {
        var _ = questions.takeRemark(true); // of an interrupted turn
        var workspace = setup.directories().workspace().toString();
        turn.translator().begin(workspace, context.asks(), turn.agent().conversation().response());
        state.enter();
        try {
            turn.announce();
        } finally {
            state.leave();
        }
    }

    private void write(AcpTurn turn, RawJson blocks) {
        var params = turn.agent().params().put("prompt", blocks).end();
        try {
            var _ = peer.send("session/prompt", params, new PromptReply(turn));
        } catch (RpcException e) {
            return; // it has exited, which ends the turn
        }
        if (state.check(turn::promptWritten)) {
            cancel(turn);
        } else if (turn.turn().isInterrupted()) {
            interrupt(turn.turn());
        }
    }

    /** Receives the end of a prompt, in order with its updates. */
    private final class PromptReply implements RpcPeer.Reply {
        private final AcpTurn turn;

        private PromptReply(AcpTurn turn) {
            this.turn = turn;
        }

        @Override
        public void onResult(RawJson result, RawJson line) {
            try {
                var json = JsonObject.parse(result);
                turn.add(AcpUsage.of(json));
                completed(turn, json.string("stopReason").orElse(""), line);
            } catch (MalformedJsonException e) {
                kill("Unexpected response of " + product() + ": " + e.getMessage());
            }
        }

        @Override
        public void onFailure(RpcException failure, @Nullable RawJson line) {
            if (line != null) { // otherwise the exit ends the turn
                end(turn, "", AcpFailure.of(failure), line);
            }
        }
    }

    private void completed(AcpTurn turn, String stopReason, RawJson line) {
        questions.cancelAll();
        if (!state.check(turn::isInterrupting) && followUp(turn)) {
            return;
        }
        end(turn, stopReason, AcpFailure.ofStop(product(), stopReason), line);
    }

    /** Sends the model the messages about decisions; returns false if there are none. */
    private boolean followUp(AcpTurn turn) {
        var remark = questions.takeRemark(!turn.translator().spokeAfterDenial());
        if (remark == null || !turn.mayFollowUp()) {
            return false;
        }
        turn.translator().flush(); // the answer to the remark is another message
        var blocks = new JsonWriter().open('[').value(AcpPrompt.text(remark)).close(']');
        // In another thread, because writing blocks if the agent does not read.
        Thread.ofVirtual().start(() -> write(turn, blocks.toRawJson()));
        return true;
    }

    private void end(AcpTurn turn, String stopReason, @Nullable String failure, RawJson line) {
        boolean interrupted = state.check(turn::isInterrupting);
        if (interrupted) {
            // Some agents leave the command running that they were asked to cancel.
            turn.startedByCalls(process.descendants()).forEach(ProcessHandle::destroyForcibly);
        }
        var end = new AcpSummary.End(interrupted, stopReason, turn.millis(), turn.usage());
        turn.translator().end(end, interrupted ? null : failure, line);
        usage = turn.translator().context();
        setup.conversation().recordCompletedTurn();
        context.instructions().recordSent(turn.agent().sessionId());
        end(turn, null);
    }

    @Override
    protected void requestStop(AcpTurn turn) {
        if (turn.canBeInterrupted()) {
            cancel(turn);
        }
    }

    private void cancel(AcpTurn turn) {
        var params = turn.agent().params().end();
        var writing =
                Thread.ofVirtual()
                        .unstarted(
                                () -> {
                                    peer.notify("session/cancel", params);
                                    questions.cancelAll();
                                });
        cancelling = writing;
        writing.start();
    }

    @Override
    protected void sendDecision(Approve decision) {
        questions.answer(decision, running());
    }

    /** The protocol does not report work outside of a turn. */
    @Override
    protected void requireNoBackgroundWork() {}

    /** Returns the current turn once its first message was sent, else null. For the reader. */
    private @Nullable AcpTurn announced() {
        var current = running(); // only this thread ends turns
        return current != null && state.check(current::announced) ? current : null;
    }

    @Override
    public void onNotification(RpcMessage message) throws MalformedJsonException {
        if (!message.method().equals("session/update")) {
            return;
        }
        var turn = announced();
        if (turn == null) {
            repeated.add();
            return;
        }
        var id = turn.agent().sessionId();
        var update = message.params().object("update");
        if (update.isPresent() && message.params().string("sessionId").orElse(id).equals(id)) {
            turn.translator().update(update.get(), message.line());
        }
    }

    @Override
    public boolean onRequest(RpcMessage message) throws MalformedJsonException {
        var id = message.id();
        if (id == null || !message.method().equals("session/request_permission")) {
            return false;
        }
        var turn = announced();
        if (turn == null || state.check(turn::isInterrupting)) {
            peer.sendResult(id, PermissionOptions.CANCELLED);
        } else {
            turn.recordProcesses(process::descendants);
            questions.request(id, message, turn);
        }
        return true;
    }

    @Override
    protected String describeExit(LineProcess.Exit exit) {
        return AcpFailure.of(product(), exit, isReady());
    }

    @Override
    protected void dropQuestions(boolean mayAskAgain) {
        var last = running();
        if (last != null) {
            last.translator().flush();
        }
        if (mayAskAgain) {
            questions.moveToUnanswered();
        } else {
            questions.withdrawAll();
        }
    }
}

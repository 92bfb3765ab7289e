package dev.ash.bridge.claude;

import dev.ash.bridge.engine.EngineException;
import dev.ash.bridge.engine.EngineProcess;
import dev.ash.bridge.engine.EngineSetup;
import dev.ash.bridge.engine.EngineSink;
import dev.ash.bridge.engine.LineProcess;
import dev.ash.bridge.engine.Turn;
import dev.ash.protocol.PermissionMode;
import dev.ash.protocol.bridge.BridgeCommand.Approve;
import dev.ash.protocol.json.MalformedJsonException;
import dev.ash.protocol.json.RawJson;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A running CLI process and its current turn. The CLI merges or injects a prompt that it receives
 * during a turn, so a prompt is written only while no turn is running. The CLI may start a turn
 * itself at the same moment (when a background task finishes). Both are then one turn here, which
 * ends with the result of the prompt: a result of a turn that the CLI started itself ends it only
 * if the CLI had accepted the prompt before.
 */
final class ClaudeProcess extends EngineProcess<ClaudeTurn> implements LineProcess.Listener {
    private static final Duration CONTINUE_TIMEOUT = Duration.ofSeconds(5);

    private final ClaudeLaunch launch;
    private final EngineSetup setup;
    private final ControlRequests requests;
    private final OpenWork work;
    private @Nullable String model;
    private boolean initialized;

    private ClaudeProcess(
            LineProcess process, ClaudeLaunch launch, EngineSetup setup, EngineSink sink) {
        super("Claude Code", process, sink);
        this.launch = launch;
        this.setup = setup;
        this.work = new OpenWork(launch.permissions() == PermissionMode.ASK);
        this.requests =
                new ControlRequests(
                        launch.permissions(), ToolRules.of(setup), sink, process::write);
    }

    /**
     * Starts a process. {@code model} is the model in the command; {@code first} is the deferred
     * turn that the CLI resumes at its start, if any.
     */
    static ClaudeProcess start(
            List<String> command,
            ClaudeLaunch launch,
            @Nullable String model,
            @Nullable ClaudeTurn first,
            EngineSetup setup,
            EngineSink sink)
            throws IOException {
        var environment = ClaudeLaunch.environment(setup);
        var child = LineProcess.spawn(command, setup.directories().workspace(), environment);
        var claude = new ClaudeProcess(child, launch, setup, sink);
        claude.model = model;
        if (first != null) {
            claude.setRunning(first);
        }
        child.listen(claude);
        child.write(launch.initialize());
        return claude;
    }

    ClaudeLaunch launch() {
        return launch;
    }

    @Override
    protected boolean isReady() {
        return initialized;
    }

    void awaitInitialized() throws EngineException {
        boolean inTime = state.await(START_TIMEOUT, () -> initialized || exitReason() != null);
        requireNotEnded();
        if (!inTime) {
            var message =
                    "Claude Code was not ready within " + START_TIMEOUT.toSeconds() + " seconds";
            kill(message);
            throw new EngineException(message);
        }
    }

    private void requireNotEnded() throws EngineException {
        var reason = exitReason();
        if (reason != null) {
            throw new EngineException(reason);
        }
    }

    @Override
    public boolean prompt(Turn turn) throws EngineException {
        var claudeTurn = ClaudeTurn.prompted(turn);
        if (!begin(claudeTurn)) {
            if (!state.check(this::isReady)) {
                requireNotEnded(); // a new process would fail in the same way
            }
            return false;
        }
        var requestedModel = setup.model(turn.options());
        if (!Objects.equals(model, requestedModel)) {
            process.write(ControlMessages.setModel(requestedModel));
            model = requestedModel;
        }
        process.write(ControlMessages.prompt(turn.prompt(), claudeTurn.promptUuid()));
        if (state.check(claudeTurn::promptWritten)) {
            process.write(ControlMessages.interrupt());
        } else if (turn.isInterrupted()) {
            interrupt(turn);
        }
        awaitEnd(claudeTurn);
        return true;
    }

    /** Waits for the end of the turn that this process was started for. */
    void awaitContinuedTurn(ClaudeTurn claudeTurn) {
        if (claudeTurn.turn().isInterrupted()) {
            interrupt(claudeTurn.turn());
        }
        state.await(
                START_TIMEOUT,
                () -> initialized || claudeTurn.isAccepted() || claudeTurn.isEnded());
        if (!state.await(CONTINUE_TIMEOUT, () -> claudeTurn.isAccepted() || claudeTurn.isEnded())) {
            kill("Claude Code found no deferred question in this conversation");
        }
        awaitEnd(claudeTurn);
    }

    @Override
    protected void requestStop(ClaudeTurn turn) {
        if (turn.canBeInterrupted()) {
            Thread.ofVirtual().start(() -> process.write(ControlMessages.interrupt()));
        }
    }

    @Override
    protected void sendDecision(Approve decision) {
        requests.answer(decision);
    }

    /** See {@link dev.ash.bridge.engine.EngineSession#deferQuestion}. */
    String deferQuestion(Turn turn) throws EngineException {
        var question = requests.single();
        ClaudeTurn current;
        state.enter();
        try {
            current = running();
            if (current == null || current.turn() != turn || question.isEmpty()) {
                throw new EngineException("The turn is not waiting for exactly one approval");
            }
            if (work.hasTasks() || !work.isOnly(question.get().approval().id())) {
                throw new EngineException("Other work of the turn is still open");
            }
            current.deferQuestion();
        } finally {
            state.leave();
        }
        boolean sent = requests.defer(question.get());
        if (!sent || !awaitDeferral(current)) {
            throw new EngineException("The question has been answered in the meantime");
        }
        return question.get().approval().id();
    }

    private boolean awaitDeferral(ClaudeTurn current) {
        state.await(REST_TIMEOUT, current::isEnded);
        return state.check(current::settleDeferral);
    }

    @Override
    protected void requireNoBackgroundWork() throws EngineException {
        if (state.check(work::hasTasks)) {
            throw new EngineException("The engine has a task running in the background");
        }
    }

    @Override
    public void onLine(RawJson raw) {
        try {
            var line = ClaudeLine.of(raw);
            switch (line.kind()) {
                case CONTROL_REQUEST -> requests.request(line, askingTurn());
                case CONTROL_RESPONSE -> controlResponse(line);
                case CONTROL_CANCEL -> requests.cancel(line.json().string("request_id").orElse(""));
                case CONTROL_OTHER -> {}
                case INIT, PARTIAL, USER, RESULT, OTHER -> message(line);
            }
        } catch (MalformedJsonException e) {
            // Not a message of the CLI: one of its libraries may have printed something.
            System.err.println(
                    "bridge: ignored output of claude that is not JSON: " + e.getMessage());
        }
    }

    private @Nullable Turn askingTurn() {
        state.enter();
        try {
            var current = running();
            signalActivity(current);
            return current == null ? null : current.turn();
        } finally {
            state.leave();
        }
    }

    private void signalActivity(@Nullable ClaudeTurn current) {
        if (current != null && current.recordActivity()) {
            state.signalAll();
        }
    }

    private void controlResponse(ClaudeLine line) throws MalformedJsonException {
        var response = line.json().object("response");
        if (response.isEmpty()) {
            return;
        }
        boolean success = response.get().string("subtype").orElse("").equals("success");
        var id = response.get().string("request_id").orElse("");
        if (!success) {
            System.err.println("bridge: claude rejected " + id + ": " + line.raw());
        }
        if (id.equals(ClaudeLaunch.INITIALIZE_ID)) {
            initialized(success);
        }
    }

    private void initialized(boolean success) {
        state.enter();
        try {
            initialized = success;
            if (!success) {
                kill(
                        "Claude Code rejected the session's system prompt, subagents or output"
                                + " format; see the stderr log of the sandbox for its response");
            }
            state.signalAll();
        } finally {
            state.leave();
        }
    }

    private void message(ClaudeLine line) throws MalformedJsonException {
        ClaudeTurn current;
        boolean begins = false;
        boolean ends = false;
        boolean deferred = false;
        state.enter();
        try {
            if (line.kind() == ClaudeLine.Kind.INIT && running() == null) {
                setRunning(ClaudeTurn.startedByEngine());
                begins = true;
            }
            current = running();
            if (current != null && current.acceptsEcho(line)) {
                return; // written only because of --replay-user-messages
            }
            signalActivity(current);
            work.observe(line);
            deferred = current != null && current.isDeferredBy(line);
            if (line.kind() == ClaudeLine.Kind.PARTIAL && !wantsPartials(current)) {
                return;
            }
            // Before it is initialized, a result only reports that the CLI cannot start.
            ends = initialized && current != null && current.concludes(line);
        } finally {
            state.leave();
        }
        recordConversation(line);
        if (deferred && current != null) {
            current.turn().end(); // without a report: the turn continues later
            markEnded(current);
            return;
        }
        if (begins && current != null) {
            sink.turnStarted(current.turn());
        }
        sink.message(current == null ? null : current.turn(), line.raw());
        if (ends && current != null) {
            end(current, null);
        }
    }

    private static boolean wantsPartials(@Nullable ClaudeTurn current) {
        return current != null && current.turn().options().includePartialMessages();
    }

    private void recordConversation(ClaudeLine line) throws MalformedJsonException {
        var conversation = setup.conversation();
        if (line.kind() == ClaudeLine.Kind.INIT) {
            var id = line.sessionId();
            if (id.isPresent()) {
                conversation.recordOpened(setup.sessionId(), ClaudeEngine.NAME, id.get());
            }
        } else if (line.kind() == ClaudeLine.Kind.RESULT
                && conversation.idFor(ClaudeEngine.NAME).equals(line.sessionId())) {
            conversation.recordCompletedTurn();
        }
    }

    @Override
    protected String describeExit(LineProcess.Exit exit) {
        var failure = ClaudeFailure.of(exit, initialized);
        if (failure.conversationLost()) {
            setup.conversation().clear();
        }
        return failure.message();
    }

    @Override
    protected void dropQuestions(boolean mayAskAgain) {
        if (mayAskAgain) {
            requests.open().removeAllSilently();
        } else {
            requests.open().withdrawAll();
        }
    }
}

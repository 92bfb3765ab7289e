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
 * One running CLI and the turn it is in. The CLI merges or injects a prompt that comes while it
 * works, so a prompt is written only when no turn runs; but a turn that the CLI begins by itself (a
 * background task finished) may cross it on the way. Then both are one turn here, which ends with
 * the result of the prompt: a result marked as the CLI's own counts only if the prompt was taken up
 * before it.
 */
final class ClaudeProcess extends EngineProcess<ClaudeTurn> implements LineProcess.Listener {
    private static final Duration TAKE_UP = Duration.ofSeconds(5);

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
     * {@code model} is the one that the command names; {@code first} is the turn that the CLI will
     * take up by itself, if any.
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
        var child = LineProcess.spawn(command, setup.folders().workspace(), environment);
        var claude = new ClaudeProcess(child, launch, setup, sink);
        claude.model = model;
        if (first != null) {
            claude.run(first);
        }
        child.listen(claude);
        child.write(launch.initialize());
        return claude;
    }

    ClaudeLaunch launch() {
        return launch;
    }

    @Override
    protected boolean opened() {
        return initialized;
    }

    void awaitInitialized() throws EngineException {
        boolean inTime = state.await(START, () -> initialized || whyEnded() != null);
        requireNotEnded();
        if (!inTime) {
            var late = "Claude Code was not ready within " + START.toSeconds() + " seconds";
            kill(late);
            throw new EngineException(late);
        }
    }

    private void requireNotEnded() throws EngineException {
        var why = whyEnded();
        if (why != null) {
            throw new EngineException(why);
        }
    }

    @Override
    public boolean prompt(Turn turn) throws EngineException {
        var mine = ClaudeTurn.prompted(turn);
        if (!begin(mine)) {
            if (!state.ask(this::opened)) {
                requireNotEnded(); // another one would fare no better
            }
            return false;
        }
        var wantedModel = setup.model(turn.options());
        if (!Objects.equals(model, wantedModel)) {
            process.write(ControlMessages.setModel(wantedModel));
            model = wantedModel;
        }
        process.write(ControlMessages.prompt(turn.prompt(), mine.promptUuid()));
        if (state.ask(mine::promptWritten)) {
            process.write(ControlMessages.interrupt());
        } else if (turn.interrupted()) {
            interrupt(turn);
        }
        awaitOver(mine);
        return true;
    }

    /** Waits for the end of the turn that this process was started for. */
    void awaitContinued(ClaudeTurn mine) {
        if (mine.turn().interrupted()) {
            interrupt(mine.turn());
        }
        state.await(START, () -> initialized || mine.isTakenUp() || mine.over());
        if (!state.await(TAKE_UP, () -> mine.isTakenUp() || mine.over())) {
            kill("Claude Code found no question to go on with in this conversation");
        }
        awaitOver(mine);
    }

    @Override
    protected void tellToStop(ClaudeTurn turn) {
        if (turn.canBeInterrupted()) {
            Thread.ofVirtual().start(() -> process.write(ControlMessages.interrupt()));
        }
    }

    @Override
    protected void tell(Approve decision) {
        requests.answer(decision);
    }

    /** See {@link dev.ash.bridge.engine.EngineSession#layAside}. */
    String layAside(Turn turn) throws EngineException {
        var question = requests.single();
        ClaudeTurn place;
        state.enter();
        try {
            place = running();
            if (place == null || place.turn() != turn || question.isEmpty()) {
                throw new EngineException("The turn is not waiting for exactly one approval");
            }
            if (work.hasTasks() || !work.isOnly(question.get().approval().id())) {
                throw new EngineException("Other work of the turn is still open");
            }
            place.layAside();
        } finally {
            state.leave();
        }
        boolean told = requests.defer(question.get());
        if (!told || !awaitLaidAside(place)) {
            throw new EngineException("The question was answered meanwhile");
        }
        return question.get().approval().id();
    }

    private boolean awaitLaidAside(ClaudeTurn place) {
        state.await(REST, place::over);
        return state.ask(place::settleLaidAside);
    }

    @Override
    protected void requireNothingInBackground() throws EngineException {
        if (state.ask(work::hasTasks)) {
            throw new EngineException("The engine has a task running in the background");
        }
    }

    @Override
    public void line(RawJson raw) {
        try {
            var line = ClaudeLine.of(raw);
            switch (line.kind()) {
                case CONTROL_REQUEST -> requests.request(line, askingTurn());
                case CONTROL_RESPONSE -> controlResponse(line);
                case CONTROL_CANCEL ->
                        requests.cancelled(line.json().string("request_id").orElse(""));
                case CONTROL_OTHER -> {}
                case INIT, PARTIAL, USER, RESULT, OTHER -> message(line);
            }
        } catch (MalformedJsonException e) {
            // Not a message of the CLI: a library of it may have printed something.
            System.err.println(
                    "bridge: skipped a line of claude that is not JSON: " + e.getMessage());
        }
    }

    private @Nullable Turn askingTurn() {
        state.enter();
        try {
            var place = running();
            sign(place);
            return place == null ? null : place.turn();
        } finally {
            state.leave();
        }
    }

    private void sign(@Nullable ClaudeTurn place) {
        if (place != null && place.showsLife()) {
            state.changed();
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
            System.err.println("bridge: claude refused " + id + ": " + line.raw());
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
                        "Claude Code refused the session's system prompt, subagents or output"
                                + " format; the sandbox's stderr log has its answer");
            }
            state.changed();
        } finally {
            state.leave();
        }
    }

    private void message(ClaudeLine line) throws MalformedJsonException {
        ClaudeTurn place;
        boolean begins = false;
        boolean ends = false;
        boolean laidAside = false;
        state.enter();
        try {
            if (line.kind() == ClaudeLine.Kind.INIT && running() == null) {
                run(ClaudeTurn.own());
                begins = true;
            }
            place = running();
            if (place != null && place.takesUp(line)) {
                return; // an echo that only --replay-user-messages brings
            }
            sign(place);
            work.see(line);
            laidAside = place != null && place.isLaidAsideBy(line);
            if (line.kind() == ClaudeLine.Kind.PARTIAL && !wantsPartials(place)) {
                return;
            }
            // Before it is initialized the CLI only reports that it cannot start.
            ends = initialized && place != null && place.concludes(line);
        } finally {
            state.leave();
        }
        remember(line);
        if (laidAside && place != null) {
            place.turn().end(); // and nobody is told: it goes on later
            over(place);
            return;
        }
        if (begins && place != null) {
            sink.turnStarted(place.turn());
        }
        sink.message(place == null ? null : place.turn(), line.raw());
        if (ends && place != null) {
            end(place, null);
        }
    }

    private static boolean wantsPartials(@Nullable ClaudeTurn place) {
        return place != null && place.turn().options().includePartialMessages();
    }

    private void remember(ClaudeLine line) throws MalformedJsonException {
        var conversation = setup.conversation();
        if (line.kind() == ClaudeLine.Kind.INIT) {
            var id = line.sessionId();
            if (id.isPresent()) {
                conversation.opened(setup.sessionId(), ClaudeEngine.NAME, id.get());
            }
        } else if (line.kind() == ClaudeLine.Kind.RESULT
                && conversation.of(ClaudeEngine.NAME).equals(line.sessionId())) {
            conversation.answeredOnce();
        }
    }

    @Override
    protected String meaning(LineProcess.Exit exit) {
        var failure = ClaudeFailure.of(exit, initialized);
        if (failure.conversationLost()) {
            setup.conversation().forget();
        }
        return failure.message();
    }

    @Override
    protected void dropQuestions(boolean mayAskAgain) {
        if (mayAskAgain) {
            requests.open().forgetAll();
        } else {
            requests.open().withdrawAll();
        }
    }
}

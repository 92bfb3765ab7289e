package dev.ash.bridge.claude;

import dev.ash.bridge.engine.EngineException;
import dev.ash.bridge.engine.EngineSetup;
import dev.ash.bridge.engine.EngineSink;
import dev.ash.bridge.engine.Failure;
import dev.ash.bridge.engine.LineProcess;
import dev.ash.bridge.engine.Monitor;
import dev.ash.bridge.engine.Permissions;
import dev.ash.bridge.engine.Turn;
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
 *
 * <p>The monitor guards the state; it is never held while reporting to the sink, which may block.
 */
final class ClaudeProcess implements LineProcess.Listener {
    private static final Duration START = Duration.ofSeconds(60);
    private static final Duration STOP = Duration.ofSeconds(5);
    private static final Duration FINISH = Duration.ofSeconds(2);
    private static final Duration REST = Duration.ofSeconds(10);
    private static final Duration TAKE_UP = Duration.ofSeconds(5);

    private final LineProcess process;
    private final ClaudeLaunch launch;
    private final EngineSetup setup;
    private final EngineSink sink;
    private final ControlRequests requests;

    private final Monitor state = new Monitor();
    private final OpenWork work;
    private @Nullable RunningTurn running;
    private @Nullable String model;
    private boolean initialized;
    private @Nullable String killedBecause;
    private volatile @Nullable String ended;
    private volatile boolean finishing;

    private ClaudeProcess(
            LineProcess process, ClaudeLaunch launch, EngineSetup setup, EngineSink sink) {
        this.process = process;
        this.launch = launch;
        this.setup = setup;
        this.sink = sink;
        this.work = new OpenWork(launch.permissions() == Permissions.ASK);
        this.requests =
                new ControlRequests(launch.permissions(), ToolRules.of(setup), sink, this::write);
    }

    /**
     * {@code model} is the one that the command names; {@code first} is the turn that the CLI will
     * take up by itself, if any.
     */
    static ClaudeProcess start(
            List<String> command,
            ClaudeLaunch launch,
            @Nullable String model,
            @Nullable RunningTurn first,
            EngineSetup setup,
            EngineSink sink)
            throws IOException {
        var environment = ClaudeLaunch.environment(setup);
        var child = LineProcess.spawn(command, setup.folders().workspace(), environment);
        var claude = new ClaudeProcess(child, launch, setup, sink);
        claude.model = model;
        claude.running = first;
        child.listen(claude);
        claude.write(launch.initialize());
        return claude;
    }

    ClaudeLaunch launch() {
        return launch;
    }

    boolean alive() {
        return process.alive();
    }

    void awaitInitialized() throws EngineException {
        boolean inTime = state.await(START, () -> initialized || ended != null);
        var failed = ended;
        if (failed != null) {
            throw new EngineException(failed);
        }
        if (!inTime) {
            process.kill();
            throw new EngineException(
                    "Claude Code was not ready within " + START.toSeconds() + " seconds");
        }
    }

    /** False if the process had died before, so that the turn never began and can go elsewhere. */
    boolean prompt(Turn turn, @Nullable String wantedModel) throws EngineException {
        var mine = RunningTurn.prompted(turn);
        if (!begin(mine)) {
            return false;
        }
        if (!Objects.equals(model, wantedModel)) {
            write(ControlMessages.setModel(wantedModel));
            model = wantedModel;
        }
        write(ControlMessages.prompt(turn.prompt(), mine.promptUuid()));
        if (state.ask(mine::promptWritten)) {
            write(ControlMessages.interrupt());
        } else if (turn.interrupted()) {
            interrupt(turn);
        }
        state.await(mine::over);
        return true;
    }

    /** Waits for the end of the turn that this process was started for. */
    void awaitContinued(RunningTurn mine) {
        if (mine.turn().interrupted()) {
            interrupt(mine.turn());
        }
        state.await(START, () -> initialized || mine.isTakenUp() || mine.over());
        if (!state.await(TAKE_UP, () -> mine.isTakenUp() || mine.over())) {
            kill("Claude Code found no question to go on with in this conversation");
        }
        state.await(mine::over);
    }

    private boolean begin(RunningTurn mine) throws EngineException {
        state.enter();
        try {
            awaitIdle();
            if (ended == null) {
                running = mine;
                return true;
            }
            if (!initialized) {
                throw new EngineException(ended);
            }
            return false;
        } finally {
            state.leave();
        }
    }

    /** Lets a turn of the CLI's own come to its end. */
    void awaitIdle() {
        state.await(() -> running == null);
    }

    void interrupt(Turn turn) {
        state.enter();
        try {
            var target = running;
            if (target != null && target.beginInterrupt(turn)) {
                // Two threads, because a CLI that hangs may not even read what it is told.
                Thread.ofVirtual().start(() -> killUnlessOver(target));
                if (target.canBeInterrupted()) {
                    Thread.ofVirtual().start(() -> write(ControlMessages.interrupt()));
                }
            }
        } finally {
            state.leave();
        }
    }

    /** On a thread of its own, because a CLI that is stuck may not read what it is told. */
    void answer(Approve decision) {
        Thread.ofVirtual().start(() -> requests.answer(decision));
    }

    private void killUnlessOver(RunningTurn target) {
        if (!state.await(STOP, target::over)) {
            kill(
                    "Claude Code did not stop within "
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

    /** See {@link dev.ash.bridge.engine.EngineSession#layAside}. */
    String layAside(Turn turn) throws EngineException {
        var question = requests.single();
        RunningTurn place;
        state.enter();
        try {
            place = running;
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

    private boolean awaitLaidAside(RunningTurn place) {
        state.await(REST, place::over);
        return state.ask(place::settleLaidAside);
    }

    /** Ends it in order, with all that it holds written; the exception says why not now. */
    void rest() throws EngineException {
        state.enter();
        try {
            if (running != null) {
                throw new EngineException("The engine is in a turn that it began by itself");
            }
            if (work.hasTasks()) {
                throw new EngineException("The engine has a task running in the background");
            }
        } finally {
            state.leave();
        }
        finishing = true;
        process.finish(REST);
    }

    /** Idle, it leaves by itself; with a turn or a background task running it is killed. */
    void finish() {
        finishing = true;
        boolean idle = state.ask(() -> running == null || running.hasResult());
        process.finish(idle ? FINISH : Duration.ZERO);
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
            sign(running);
            return running == null ? null : running.turn();
        } finally {
            state.leave();
        }
    }

    private void sign(@Nullable RunningTurn place) {
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
        RunningTurn place;
        boolean begins = false;
        boolean ends = false;
        boolean laidAside = false;
        state.enter();
        try {
            if (line.kind() == ClaudeLine.Kind.INIT && running == null) {
                running = RunningTurn.own();
                begins = true;
            }
            place = running;
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

    private static boolean wantsPartials(@Nullable RunningTurn place) {
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

    private void end(RunningTurn place, @Nullable Failure failure) {
        sink.turnEnded(place.turn(), failure);
        over(place);
    }

    private void over(RunningTurn place) {
        state.enter();
        try {
            place.end();
            running = null;
            state.changed();
        } finally {
            state.leave();
        }
    }

    @Override
    public void ended(LineProcess.Exit exit) {
        Failure failure;
        RunningTurn place;
        state.enter();
        try {
            failure = failure(exit);
            ended = failure.sentence();
            place = running;
            state.changed();
        } finally {
            state.leave();
        }
        if (failure.engineGone()) {
            requests.open().forgetAll(); // what it asked may yet be decided, and asked again
        } else {
            requests.open().withdrawAll();
        }
        if (place != null) {
            end(place, failure);
        }
    }

    private Failure failure(LineProcess.Exit exit) {
        var failure = ClaudeFailure.of(exit, initialized);
        if (failure.conversationLost()) {
            setup.conversation().forget();
        }
        return killedBecause == null
                ? new Failure(failure.sentence(), initialized && !finishing)
                : new Failure(killedBecause, false);
    }

    private void write(RawJson line) {
        try {
            process.write(line);
        } catch (IOException e) {
            process.kill(); // it does not listen any more; its end reports the rest
        }
    }
}

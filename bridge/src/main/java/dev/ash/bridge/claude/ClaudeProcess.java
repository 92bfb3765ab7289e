package dev.ash.bridge.claude;

import dev.ash.bridge.engine.EngineException;
import dev.ash.bridge.engine.EngineSetup;
import dev.ash.bridge.engine.EngineSink;
import dev.ash.bridge.engine.Failure;
import dev.ash.bridge.engine.LineProcess;
import dev.ash.bridge.engine.Turn;
import dev.ash.protocol.json.MalformedJsonException;
import dev.ash.protocol.json.RawJson;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * One running CLI and the turn it is in. The CLI merges or injects a prompt that comes while it
 * works, so a prompt is written only when no turn runs; but a turn that the CLI begins by itself (a
 * background task finished) may cross it on the way. Then both are one turn here, which ends with
 * the result of the prompt: a result marked as the CLI's own counts only if the prompt was taken up
 * before it.
 *
 * <p>The lock guards the state; it is never held while reporting to the sink, which may block.
 */
final class ClaudeProcess implements LineProcess.Listener {
    private static final Duration START = Duration.ofSeconds(60);
    private static final Duration STOP = Duration.ofSeconds(5);
    private static final Duration FINISH = Duration.ofSeconds(2);

    private final LineProcess process;
    private final ClaudeLaunch launch;
    private final EngineSetup setup;
    private final EngineSink sink;

    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();
    private @Nullable RunningTurn running;
    private @Nullable String model;
    private boolean initialized;
    private @Nullable String killedBecause;
    private @Nullable String ended;
    private volatile boolean finishing;

    private ClaudeProcess(
            LineProcess process, ClaudeLaunch launch, EngineSetup setup, EngineSink sink) {
        this.process = process;
        this.launch = launch;
        this.setup = setup;
        this.sink = sink;
    }

    /** {@code model} is the one that the command names. */
    static ClaudeProcess start(
            List<String> command,
            ClaudeLaunch launch,
            @Nullable String model,
            EngineSetup setup,
            EngineSink sink)
            throws IOException {
        var child = LineProcess.spawn(command, setup.folders().workspace(), setup.environment());
        var claude = new ClaudeProcess(child, launch, setup, sink);
        claude.model = model;
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
        long nanos = START.toNanos();
        lock.lock();
        try {
            while (!initialized && ended == null && nanos > 0) {
                nanos = changed.awaitNanos(nanos);
            }
            if (ended != null) {
                throw new EngineException(ended);
            }
            if (!initialized) {
                process.kill();
                throw new EngineException(
                        "Claude Code was not ready within " + START.toSeconds() + " seconds");
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new EngineException("The bridge is ending");
        } finally {
            lock.unlock();
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
        if (promptWritten(mine)) {
            write(ControlMessages.interrupt());
        } else if (turn.interrupted()) {
            interrupt(turn);
        }
        awaitOver(mine);
        return true;
    }

    private boolean promptWritten(RunningTurn mine) {
        lock.lock();
        try {
            return mine.promptWritten();
        } finally {
            lock.unlock();
        }
    }

    private void awaitOver(RunningTurn mine) {
        lock.lock();
        try {
            while (!mine.over()) {
                changed.awaitUninterruptibly();
            }
        } finally {
            lock.unlock();
        }
    }

    private boolean begin(RunningTurn mine) throws EngineException {
        lock.lock();
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
            lock.unlock();
        }
    }

    /** Lets a turn of the CLI's own come to its end. */
    void awaitIdle() {
        lock.lock();
        try {
            while (running != null) {
                changed.awaitUninterruptibly();
            }
        } finally {
            lock.unlock();
        }
    }

    void interrupt(Turn turn) {
        lock.lock();
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
            lock.unlock();
        }
    }

    private void killUnlessOver(RunningTurn target) {
        long nanos = STOP.toNanos();
        lock.lock();
        try {
            while (!target.over() && nanos > 0) {
                nanos = changed.awaitNanos(nanos);
            }
            if (!target.over()) {
                killedBecause =
                        "Claude Code did not stop within "
                                + STOP.toSeconds()
                                + " seconds of the interrupt and was killed."
                                + " The next message continues the conversation";
                process.kill();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } finally {
            lock.unlock();
        }
    }

    /** Idle, it leaves by itself; with a turn or a background task running it is killed. */
    void finish() {
        finishing = true;
        process.finish(idle() ? FINISH : Duration.ZERO);
    }

    private boolean idle() {
        lock.lock();
        try {
            return running == null || running.hasResult();
        } finally {
            lock.unlock();
        }
    }

    @Override
    public void line(RawJson raw) {
        try {
            var line = ClaudeLine.of(raw);
            switch (line.kind()) {
                case CONTROL_REQUEST -> write(ControlMessages.answer(line, launch.permissions()));
                case CONTROL_RESPONSE -> controlResponse(line);
                case CONTROL_OTHER -> {}
                case INIT, PARTIAL, USER, RESULT, OTHER -> message(line);
            }
        } catch (MalformedJsonException e) {
            // Not a message of the CLI: a library of it may have printed something.
            System.err.println(
                    "bridge: skipped a line of claude that is not JSON: " + e.getMessage());
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
        lock.lock();
        try {
            initialized = success;
            if (!success) {
                killedBecause =
                        "Claude Code refused the session's system prompt, subagents or output"
                                + " format; the sandbox's stderr log has its answer";
                process.kill();
            }
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    private void message(ClaudeLine line) throws MalformedJsonException {
        RunningTurn place;
        boolean begins = false;
        boolean ends = false;
        lock.lock();
        try {
            if (line.kind() == ClaudeLine.Kind.INIT && running == null) {
                running = RunningTurn.own();
                begins = true;
            }
            place = running;
            if (place != null && place.takesUp(line)) {
                return; // an echo that only --replay-user-messages brings
            }
            if (line.kind() == ClaudeLine.Kind.PARTIAL && !wantsPartials(place)) {
                return;
            }
            // Before it is initialized the CLI only reports that it cannot start.
            ends = initialized && place != null && place.concludes(line);
        } finally {
            lock.unlock();
        }
        remember(line);
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
        lock.lock();
        try {
            place.end();
            running = null;
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    @Override
    public void ended(LineProcess.Exit exit) {
        Failure failure;
        RunningTurn place;
        lock.lock();
        try {
            failure = failure(exit);
            ended = failure.sentence();
            place = running;
            changed.signalAll();
        } finally {
            lock.unlock();
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

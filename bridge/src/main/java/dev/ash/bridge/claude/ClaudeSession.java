package dev.ash.bridge.claude;

import dev.ash.bridge.engine.EngineException;
import dev.ash.bridge.engine.EngineSession;
import dev.ash.bridge.engine.EngineSetup;
import dev.ash.bridge.engine.EngineSink;
import dev.ash.bridge.engine.Permissions;
import dev.ash.bridge.engine.Turn;
import dev.ash.protocol.bridge.BridgeCommand.Approve;
import dev.ash.protocol.bridge.TurnOptions;
import java.io.IOException;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * A conversation with the CLI over as many processes as it takes: one is kept between turns, and
 * replaced when it died or when a turn wants another launch. The thread that prompts owns {@code
 * process}; others only read it.
 */
final class ClaudeSession implements EngineSession {
    private final EngineSetup setup;
    private final EngineSink sink;
    private @Nullable Permissions permissions;
    private volatile @Nullable ClaudeProcess process;
    private volatile boolean closed;

    ClaudeSession(EngineSetup setup, EngineSink sink) {
        this.setup = setup;
        this.sink = sink;
    }

    @Override
    public void start() throws EngineException {
        ready(TurnOptions.NONE).awaitInitialized();
    }

    @Override
    public void prompt(Turn turn) throws EngineException {
        boolean taken;
        do {
            taken = ready(turn.options()).prompt(turn, model(turn.options()));
        } while (!taken);
    }

    @Override
    public void continueTurn(Turn turn) throws EngineException {
        var launch = ClaudeLaunch.continuing(setup, permissions(), turn.options());
        finishCurrent();
        if (!conversation(new ClaudeHome(setup)).contains("--resume")) {
            throw new EngineException("There is no conversation in this sandbox to go on with");
        }
        var mine = RunningTurn.continued(turn);
        keep(start(launch, model(turn.options()), mine)).awaitContinued(mine);
    }

    @Override
    public String layAside(Turn turn) throws EngineException {
        var current = process;
        if (current == null) {
            throw new EngineException("The turn is only beginning");
        }
        return current.layAside(turn);
    }

    @Override
    public void rest() throws EngineException {
        var current = process;
        if (current != null && current.alive()) {
            current.rest();
        }
    }

    @Override
    public void interrupt(Turn turn) {
        var current = process;
        if (current != null) {
            current.interrupt(turn);
        }
    }

    @Override
    public void answer(Approve decision) {
        var current = process;
        if (current != null) {
            current.answer(decision);
        }
    }

    @Override
    public void close() {
        closed = true;
        var current = process;
        if (current != null) {
            current.finish();
        }
    }

    private ClaudeProcess ready(TurnOptions options) throws EngineException {
        var wanted = ClaudeLaunch.of(setup, permissions(), options);
        var current = process;
        if (current != null && current.alive() && current.launch().serves(wanted)) {
            return current;
        }
        finishCurrent();
        return keep(start(wanted, model(options), null));
    }

    private void finishCurrent() {
        var current = process;
        if (current != null) {
            current.awaitIdle();
            current.finish();
        }
    }

    private ClaudeProcess keep(ClaudeProcess fresh) {
        process = fresh;
        if (closed) {
            fresh.finish();
        }
        return fresh;
    }

    /** Decided once: an agent that edits the settings in its workspace does not change the mode. */
    private Permissions permissions() throws EngineException {
        var decided = permissions;
        if (decided == null) {
            decided = Permissions.of(setup);
            permissions = decided;
        }
        return decided;
    }

    private @Nullable String model(TurnOptions options) {
        return options.model() != null ? options.model() : setup.config().model();
    }

    private ClaudeProcess start(
            ClaudeLaunch launch, @Nullable String model, @Nullable RunningTurn first)
            throws EngineException {
        var program = ClaudeProgram.require(setup.environment());
        if (!Files.isDirectory(setup.folders().workspace())) {
            throw new EngineException(
                    "The workspace " + setup.folders().workspace() + " is not a folder");
        }
        var home = new ClaudeHome(setup);
        if (launch.permissions() != Permissions.BYPASS) {
            home.trustWorkspace();
        }
        var command = new ArrayList<String>();
        command.add(program.toString());
        command.addAll(launch.flags());
        if (model != null) {
            command.addAll(List.of("--model", model));
        }
        command.addAll(conversation(home));
        try {
            return ClaudeProcess.start(command, launch, model, first, setup, sink);
        } catch (IOException e) {
            throw new EngineException("Claude Code could not be started: " + e.getMessage());
        }
    }

    /**
     * Goes on where there is something to go on with; else the engine's id is ours. What a copied
     * home goes on with is the original's, and gets an id of its own.
     */
    private List<String> conversation(ClaudeHome home) {
        var known = setup.conversation().of(ClaudeEngine.NAME);
        var id = known.orElse(setup.sessionId());
        boolean copied = setup.conversation().copiedFor(setup.sessionId());
        if (setup.conversation().answered(ClaudeEngine.NAME)
                || (isUuid(id) && home.hasTranscript(id))) {
            return copied && known.isPresent() ? fork(id) : List.of("--resume", id);
        }
        var fresh = copied ? setup.sessionId() : id;
        return isUuid(fresh) ? List.of("--session-id", fresh) : List.of();
    }

    private List<String> fork(String id) {
        var cut = setup.config().forkAt();
        return cut == null
                ? List.of("--resume", id, "--fork-session")
                : List.of("--resume", id, "--fork-session", "--resume-session-at", cut);
    }

    private static boolean isUuid(String id) {
        try {
            return UUID.fromString(id).toString().equals(id);
        } catch (IllegalArgumentException e) {
            return false;
        }
    }
}

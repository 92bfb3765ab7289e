package dev.ash.bridge.claude;

import dev.ash.bridge.engine.EngineException;
import dev.ash.bridge.engine.EngineSession;
import dev.ash.bridge.engine.EngineSetup;
import dev.ash.bridge.engine.EngineSink;
import dev.ash.bridge.engine.Turn;
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
    public void interrupt(Turn turn) {
        var current = process;
        if (current != null) {
            current.interrupt(turn);
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
        if (current != null) {
            if (current.alive() && current.launch().serves(wanted)) {
                return current;
            }
            current.awaitIdle();
            current.finish();
        }
        var fresh = start(wanted, model(options));
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

    private ClaudeProcess start(ClaudeLaunch launch, @Nullable String model)
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
            return ClaudeProcess.start(command, launch, model, setup, sink);
        } catch (IOException e) {
            throw new EngineException("Claude Code could not be started: " + e.getMessage());
        }
    }

    /** Goes on where there is something to go on with; else the engine's id is ours. */
    private List<String> conversation(ClaudeHome home) {
        var id = setup.conversation().of(ClaudeEngine.NAME).orElse(setup.sessionId());
        if (setup.conversation().answered(ClaudeEngine.NAME)
                || (isUuid(id) && home.hasTranscript(id))) {
            return List.of("--resume", id);
        }
        return isUuid(id) ? List.of("--session-id", id) : List.of();
    }

    private static boolean isUuid(String id) {
        try {
            return UUID.fromString(id).toString().equals(id);
        } catch (IllegalArgumentException e) {
            return false;
        }
    }
}

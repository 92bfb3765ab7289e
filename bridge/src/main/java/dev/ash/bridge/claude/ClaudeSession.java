package dev.ash.bridge.claude;

import dev.ash.bridge.engine.EngineException;
import dev.ash.bridge.engine.EngineSetup;
import dev.ash.bridge.engine.EngineSink;
import dev.ash.bridge.engine.Permissions;
import dev.ash.bridge.engine.ProcessSession;
import dev.ash.bridge.engine.Programs;
import dev.ash.bridge.engine.Turn;
import dev.ash.protocol.PermissionMode;
import dev.ash.protocol.bridge.TurnOptions;
import dev.ash.protocol.engine.EngineProfiles;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** A conversation with the CLI; a turn that wants another launch gets another process too. */
final class ClaudeSession extends ProcessSession<ClaudeProcess> {
    private @Nullable PermissionMode permissions;

    ClaudeSession(EngineSetup setup, EngineSink sink) {
        super(setup, sink);
    }

    @Override
    public void start() throws EngineException {
        ready(TurnOptions.NONE).awaitInitialized();
    }

    @Override
    public void continueTurn(Turn turn) throws EngineException {
        var launch = ClaudeLaunch.continuing(setup, permissions(), turn.options());
        finishCurrent();
        if (!conversation(new ClaudeHome(setup)).contains("--resume")) {
            throw new EngineException("There is no conversation in this sandbox to go on with");
        }
        var mine = ClaudeTurn.continued(turn);
        keep(start(launch, setup.model(turn.options()), mine)).awaitContinued(mine);
    }

    @Override
    public String layAside(Turn turn) throws EngineException {
        var current = current();
        if (current == null) {
            throw new EngineException("The turn is only beginning");
        }
        return current.layAside(turn);
    }

    @Override
    protected ClaudeProcess ready(TurnOptions options) throws EngineException {
        var wanted = ClaudeLaunch.of(setup, permissions(), options);
        var current = current();
        if (current != null && current.alive() && current.launch().serves(wanted)) {
            return current;
        }
        finishCurrent();
        return keep(start(wanted, setup.model(options), null));
    }

    private void finishCurrent() {
        var current = current();
        if (current != null) {
            current.awaitIdle();
            current.finish();
        }
    }

    /** Decided once: an agent that edits the settings in its workspace does not change the mode. */
    private PermissionMode permissions() throws EngineException {
        var decided = permissions;
        if (decided == null) {
            decided = Permissions.of(setup);
            permissions = decided;
        }
        return decided;
    }

    private ClaudeProcess start(
            ClaudeLaunch launch, @Nullable String model, @Nullable ClaudeTurn first)
            throws EngineException {
        var program = Programs.require(setup.environment(), EngineProfiles.CLAUDE);
        requireWorkspace();
        var home = new ClaudeHome(setup);
        if (launch.permissions() != PermissionMode.BYPASS_PERMISSIONS) {
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

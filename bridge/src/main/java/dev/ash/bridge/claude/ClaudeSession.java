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

/** A conversation with the CLI; replaces the process for a turn with other launch parameters. */
final class ClaudeSession extends ProcessSession<ClaudeProcess> {
    private @Nullable PermissionMode permissions;

    ClaudeSession(EngineSetup setup, EngineSink sink) {
        super(setup, sink);
    }

    @Override
    public void start() throws EngineException {
        processFor(TurnOptions.NONE).awaitInitialized();
    }

    @Override
    public void continueTurn(Turn turn) throws EngineException {
        var launch = ClaudeLaunch.forDeferredTurn(setup, permissions(), turn.options());
        finishCurrent();
        if (!conversation(new ClaudeHome(setup)).contains("--resume")) {
            throw new EngineException("There is no conversation in this sandbox to continue");
        }
        var claudeTurn = ClaudeTurn.continued(turn);
        install(start(launch, setup.model(turn.options()), claudeTurn))
                .awaitContinuedTurn(claudeTurn);
    }

    @Override
    public String deferQuestion(Turn turn) throws EngineException {
        var current = current();
        if (current == null) {
            throw new EngineException("The turn has not started yet");
        }
        return current.deferQuestion(turn);
    }

    @Override
    protected ClaudeProcess processFor(TurnOptions options) throws EngineException {
        var requested = ClaudeLaunch.of(setup, permissions(), options);
        var current = current();
        if (current != null && current.isAlive() && current.launch().canServe(requested)) {
            return current;
        }
        finishCurrent();
        return install(start(requested, setup.model(options), null));
    }

    private void finishCurrent() {
        var current = current();
        if (current != null) {
            current.awaitIdle();
            current.finish();
        }
    }

    /** Determined once: an agent must not change the mode by editing settings in its workspace. */
    private PermissionMode permissions() throws EngineException {
        var decided = permissions;
        if (decided == null) {
            decided = Permissions.mode(setup);
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
            throw new EngineException("Cannot start Claude Code: " + e.getMessage());
        }
    }

    /**
     * Resumes the conversation if there is one; otherwise starts one with the id of the session. In
     * a copied home, forks the original conversation under a new id.
     */
    private List<String> conversation(ClaudeHome home) {
        var known = setup.conversation().idFor(ClaudeEngine.NAME);
        var id = known.orElse(setup.sessionId());
        boolean isCopy = setup.conversation().isCopyFor(setup.sessionId());
        if (setup.conversation().hasCompletedTurn(ClaudeEngine.NAME)
                || (isUuid(id) && home.hasTranscript(id))) {
            return isCopy && known.isPresent() ? fork(id) : List.of("--resume", id);
        }
        var newId = isCopy ? setup.sessionId() : id;
        return isUuid(newId) ? List.of("--session-id", newId) : List.of();
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

package dev.ash.bridge.command;

import dev.ash.bridge.engine.AgentRules;
import dev.ash.bridge.engine.EngineException;
import dev.ash.bridge.engine.EngineSession;
import dev.ash.bridge.engine.EngineSetup;
import dev.ash.bridge.engine.EngineSink;
import dev.ash.bridge.engine.Instructions;
import dev.ash.bridge.engine.Permissions;
import dev.ash.bridge.engine.ProcessLaunch;
import dev.ash.bridge.engine.Programs;
import dev.ash.bridge.engine.SharedModelEndpoint;
import dev.ash.bridge.engine.Turn;
import dev.ash.protocol.PermissionMode;
import dev.ash.protocol.bridge.BridgeCommand.Approve;
import dev.ash.protocol.engine.EngineProfile;
import dev.ash.protocol.engine.EngineProfile.PromptInput;
import java.util.ArrayList;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Runs the program once for each turn; the program itself has to remember earlier turns. */
final class CommandSession implements EngineSession {
    /** The server disallows it in most sessions; the proxy of the sandbox enforces that. */
    private static final String WEB_SEARCH = "WebSearch";

    private final EngineProfile profile;
    private final EngineSetup setup;
    private final EngineSink sink;
    private final SharedModelEndpoint model;
    private final Object lock = new Object();
    private @Nullable Running running;
    private boolean checked;
    private boolean closed;

    private record Running(Turn turn, CommandRun run) {}

    CommandSession(EngineProfile profile, EngineSetup setup, EngineSink sink) {
        this.profile = profile;
        this.setup = setup;
        this.sink = sink;
        this.model = new SharedModelEndpoint(profile.provider(), setup.environment());
    }

    @Override
    public void start() throws EngineException {
        requireEnforceable();
        var _ = Programs.require(setup.environment(), profile);
        setup.conversation().recordOpened(setup.sessionId(), name(), setup.sessionId());
    }

    private String name() {
        return profile.name().value();
    }

    /**
     * Rejects permissions that need questions. Checked once: an agent must not change them by
     * editing its workspace.
     */
    private void requireEnforceable() throws EngineException {
        if (checked) {
            return;
        }
        var denied = new ArrayList<>(setup.config().disallowedTools());
        denied.addAll(AgentRules.read(setup.directories().agent(), "deny"));
        denied.addAll(AgentRules.read(setup.directories().workspace(), "deny"));
        denied.remove(WEB_SEARCH);
        if (Permissions.mode(setup) != PermissionMode.BYPASS_PERMISSIONS || !denied.isEmpty()) {
            throw new EngineException(
                    "The engine %s does not ask before it acts, so it cannot enforce permissions; use permissionMode bypassPermissions without deny rules, or another engine"
                            .formatted(name()));
        }
        checked = true;
    }

    @Override
    public void prompt(Turn turn) throws EngineException {
        start();
        CommandPrompt.requireSupported(turn.options(), name());
        var text = Instructions.of(setup, name()).block() + CommandPrompt.text(turn.prompt());
        var requested = setup.model(turn.options());
        var launch = ProcessLaunch.of(profile, setup, model, requested);
        boolean asArgument = profile.launch().promptInput() == PromptInput.ARGUMENT;
        var command = asArgument ? CommandPrompt.append(launch.command(), text) : launch.command();
        var messages =
                new CommandMessages(
                        setup.sessionId(),
                        Objects.requireNonNullElse(requested, profile.launch().model()),
                        turn.options().includePartialMessages(),
                        message -> sink.message(turn, message));
        var workspace = setup.directories().workspace();
        messages.init(workspace.toString());
        var run = CommandRun.start(command, workspace, launch.environment());
        install(new Running(turn, run));
        if (turn.isInterrupted()) {
            run.stop();
        }
        run.write(asArgument ? "" : text);
        var outcome = run.await(messages);
        install(null);
        setup.conversation().recordCompletedTurn();
        messages.result(outcome, profile.product());
        sink.turnEnded(turn, null);
    }

    private void install(@Nullable Running current) {
        synchronized (lock) {
            running = current;
            if (closed && current != null) {
                current.run().kill();
            }
        }
    }

    @Override
    public void continueTurn(Turn turn) throws EngineException {
        throw new EngineException(profile.product() + " asks no questions; send the message again");
    }

    @Override
    public void interrupt(Turn turn) {
        synchronized (lock) {
            if (running != null && running.turn() == turn) {
                running.run().stop();
            }
        }
    }

    /** Does nothing: the program asks no questions. */
    @Override
    public void answer(Approve decision) {}

    @Override
    public String deferQuestion(Turn turn) throws EngineException {
        throw new EngineException(profile.product() + " is working and asks no questions");
    }

    /** Does nothing: no process runs between turns. */
    @Override
    public void rest() {}

    @Override
    public void close() {
        synchronized (lock) {
            closed = true;
            if (running != null) {
                running.run().kill();
            }
        }
        model.close();
    }
}
